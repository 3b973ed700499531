"""Refusals of the service as exceptions with a stable reason."""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from .v1.errors_pb2 import ErrorReason

_DETAILS = "grpc-status-details-bin"


class ServiceError(Exception):
    """A call that was refused or failed; `ServiceError(answer.error)`: a picture in a stream.

    `reason` is stable, branch on it; UNSPECIFIED when the failure is not the service's own word,
    as when it cannot be reached, or when the reason is newer than this package.
    """

    def __init__(self, status: status_pb2.Status) -> None:
        codes = {code.value[0]: code for code in grpc.StatusCode}
        code = codes.get(status.code, grpc.StatusCode.UNKNOWN)
        super().__init__(f"{code.name}: {status.message}")
        self._status = status
        info = _unpack(status, error_details_pb2.ErrorInfo()) or error_details_pb2.ErrorInfo()
        retry = _unpack(status, error_details_pb2.RetryInfo())
        self.code = code
        self.message: str = status.message
        name = f"ERROR_REASON_{info.reason}"
        self.reason: int = dict(ErrorReason.items()).get(name, ErrorReason.ERROR_REASON_UNSPECIFIED)
        #: Name of the reason, also of one that this package does not know.
        self.reason_name: str = info.reason
        #: Facts for a program: `field`, `value`, `limit` and the like.
        self.details: Mapping[str, str] = dict(info.metadata)
        #: Seconds after which trying again is worth it; None when the service did not say.
        self.retry_after: float | None = retry and retry.retry_delay.ToTimedelta().total_seconds()

    def __reduce__(self):
        """Pickled, for a pool of processes, as what it is made of: `args` is its text alone."""
        return type(self), (self._status,)

    @classmethod
    def from_rpc_error(cls, error: grpc.RpcError) -> ServiceError:
        """Reads the refusal out of what a generated stub raises."""
        metadata = dict(error.trailing_metadata() or ())
        try:
            return cls(status_pb2.Status.FromString(metadata[_DETAILS]))
        except (KeyError, DecodeError):
            return cls(status_pb2.Status(code=error.code().value[0], message=error.details() or ""))


def _unpack(status: status_pb2.Status, message):
    for detail in status.details:
        if detail.Unpack(message):
            return message
    return None
