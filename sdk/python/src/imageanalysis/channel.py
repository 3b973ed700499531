"""A gRPC channel that sends a key with every call and gives calls a deadline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import grpc

DEFAULT_TIMEOUT_SECONDS = 30.0

# A thousand cropped faces fit; gRPC's own limit is 4 MiB.
_MAX_ANSWER_BYTES = 64 * 2**20


def open_channel(
    address: str,
    metadata: Mapping[str, str],
    *,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
    credentials: grpc.ChannelCredentials | None = None,
) -> grpc.Channel:
    """Opens a channel to `host:port`, without TLS unless credentials are given.

    `metadata` goes with every call: `apikey`, or `adminkey` on the administration port.
    `timeout` is the seconds that a call may take, streams excepted, where it has none of its own.
    """
    # Files of other systems leave white space around a key.
    sent = tuple((name, value.strip()) for name, value in metadata.items())
    options = [("grpc.max_receive_message_length", _MAX_ANSWER_BYTES)]
    if credentials is None:
        channel = grpc.insecure_channel(address, options)
    else:
        channel = grpc.secure_channel(address, credentials, options)
    return grpc.intercept_channel(channel, _Defaults(sent, timeout))


class _CallDetails(NamedTuple):
    method: str
    timeout: float | None
    metadata: tuple[tuple[str, str | bytes], ...]
    credentials: grpc.CallCredentials | None
    wait_for_ready: bool | None
    compression: grpc.Compression | None


class _CallDetailsOf(_CallDetails, grpc.ClientCallDetails):
    pass


class _Defaults(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    def __init__(self, metadata: tuple[tuple[str, str], ...], timeout: float) -> None:
        self._metadata = metadata
        self._timeout = timeout

    def intercept_unary_unary(
        self, continuation: Callable[..., Any], details: grpc.ClientCallDetails, request: Any
    ) -> Any:
        return continuation(self._complete(details, self._timeout), request)

    def intercept_stream_stream(
        self, continuation: Callable[..., Any], details: grpc.ClientCallDetails, requests: Any
    ) -> Any:
        return continuation(self._complete(details, None), requests)

    def _complete(
        self, details: grpc.ClientCallDetails, timeout: float | None
    ) -> grpc.ClientCallDetails:
        return _CallDetailsOf(
            method=details.method,
            timeout=timeout if details.timeout is None else details.timeout,
            metadata=(*(details.metadata or ()), *self._metadata),
            credentials=details.credentials,
            wait_for_ready=details.wait_for_ready,
            compression=details.compression,
        )
