import itertools
import math
import os
import pickle
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from imageanalysis import Client, ErrorReason, ServiceError


def test_branch_on_the_reason(client, meter):
    with pytest.raises(ServiceError) as refusal:
        client.detect_single_face(meter)

    assert refusal.value.reason == ErrorReason.ERROR_REASON_NO_FACE
    assert refusal.value.code == grpc.StatusCode.NOT_FOUND
    # A worker had the picture.
    assert refusal.value.__cause__.initial_metadata()


def test_details_name_the_field(client, portrait):
    with pytest.raises(ServiceError) as refusal:
        client.detect_all_faces(portrait, min_score=1.5)

    assert refusal.value.reason == ErrorReason.ERROR_REASON_INVALID_SCORE
    assert refusal.value.details["field"] == "min_score"
    assert not refusal.value.__cause__.initial_metadata()
    # As it comes back from the process of a pool.
    assert pickle.loads(pickle.dumps(refusal.value)).details == refusal.value.details


def test_details_of_something_in_between_are_none():
    def refuse(request, context):
        context.set_trailing_metadata([("grpc-status-details-bin", b"\x0a\xff")])
        context.abort(grpc.StatusCode.UNAVAILABLE, "not here")

    methods = {"GetVersion": grpc.unary_unary_rpc_method_handler(refuse)}
    server = grpc.server(ThreadPoolExecutor())
    server.add_registered_method_handlers("imageanalysis.v1.VersionService", methods)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with Client(f"127.0.0.1:{port}", "any") as client, pytest.raises(ServiceError) as refusal:
        client.get_version()
    server.stop(None)

    assert refusal.value.code == grpc.StatusCode.UNAVAILABLE
    assert refusal.value.message == "not here"


def test_wrong_key(portrait):
    with Client(os.environ["IMAGE_ANALYSIS_GRPC"], "wrong") as stranger:
        with pytest.raises(ServiceError) as refusal:
            stranger.detect_single_face(portrait)

    assert refusal.value.reason == ErrorReason.ERROR_REASON_INVALID_API_KEY


def test_white_space_around_the_key(meter):
    key = f" {os.environ['IMAGE_ANALYSIS_APIKEY']}\r\n"
    with Client(os.environ["IMAGE_ANALYSIS_GRPC"], key) as client:
        assert client.read_meter(meter).value


def test_a_key_that_cannot_be_sent():
    with pytest.raises(ValueError) as refusal:
        Client(os.environ["IMAGE_ANALYSIS_GRPC"], "ia_1234\nsecret")

    assert str(refusal.value) == (
        "apikey has a character that cannot be sent, want it exactly as issued"
    )


def test_no_deadline(client, meter):
    assert client.read_meter(meter, timeout=math.inf).value


def test_deadline(client, portrait):
    with pytest.raises(ServiceError) as refusal:
        client.detect_single_face(portrait, timeout=0.001)

    assert refusal.value.code == grpc.StatusCode.DEADLINE_EXCEEDED


def test_a_closed_client(meter):
    with Client(os.environ["IMAGE_ANALYSIS_GRPC"], "any") as client:
        answers = client.stream_read_meters([])

    with pytest.raises(ValueError, match="(?i)closed"):
        client.read_meter(meter)
    with pytest.raises(ValueError, match="(?i)closed"):
        next(answers)


def test_a_service_that_is_gone_is_looked_for_every_second():
    asked_at = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def refuse():
            while len(asked_at) < 5:
                listener.accept()[0].close()
                asked_at.append(time.monotonic())

        thread = threading.Thread(target=refuse)
        thread.start()
        with Client(f"127.0.0.1:{listener.getsockname()[1]}", "any") as client:
            while thread.is_alive():
                with pytest.raises(ServiceError):
                    client.get_version(timeout=0.1)

    # By gRPC's own rule the last two would be of about 2.6 and 4 seconds; a stall lengthens one.
    pauses = [b - a for a, b in itertools.pairwise(asked_at)]
    assert min(pauses[-2:]) < 1.6
