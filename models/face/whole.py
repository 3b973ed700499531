"""Files that are written whole or not at all."""

from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path):
    """A path to write to, which becomes this file at the end; what fails before leaves the file that was there."""
    part = Path(path).with_suffix(".tmp")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
