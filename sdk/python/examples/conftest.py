import os
from pathlib import Path

import pytest

from imageanalysis import Client


@pytest.fixture(scope="session")
def client():
    with Client(os.environ["IMAGE_ANALYSIS_GRPC"], os.environ["IMAGE_ANALYSIS_APIKEY"]) as client:
        yield client


@pytest.fixture(scope="session")
def portrait() -> bytes:
    return Path(os.environ["IMAGE_ANALYSIS_SAMPLES"], "astronaut.jpg").read_bytes()


@pytest.fixture(scope="session")
def meter() -> bytes:
    return Path(os.environ["IMAGE_ANALYSIS_SAMPLES"], "meter.jpg").read_bytes()
