"""Client of the image analysis service."""

from .channel import open_channel
from .client import Client
from .errors import ServiceError
from .v1.errors_pb2 import ErrorReason

__all__ = ["Client", "ErrorReason", "ServiceError", "open_channel"]
