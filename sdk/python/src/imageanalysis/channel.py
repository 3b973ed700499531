"""A gRPC channel that sends a key with every call and gives calls a deadline."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import grpc

DEFAULT_TIMEOUT_SECONDS = 30.0

# A thousand cropped faces fit; gRPC's own limit is 4 MiB.
_MAX_ANSWER_BYTES = 64 * 2**20

_OPTIONS = {
    "grpc.max_receive_message_length": _MAX_ANSWER_BYTES,
    # By default, pauses grow with the time that the service is gone, to two minutes.
    "grpc.max_reconnect_backoff_ms": 1_000,
    # While calls are under way: a stream has no deadline, and TCP alone may never notice that the
    # other side is gone.
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 10_000,
    # In newer versions of gRPC, this is the time that an answer may take; by default, a minute.
    "grpc.http2.ping_timeout_ms": 10_000,
    # By default, pings become rare or stop after two without a request between them.
    "grpc.http2.max_pings_without_data": 0,
}


def open_channel(
    address: str,
    metadata: Mapping[str, str],
    *,
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
    credentials: grpc.ChannelCredentials | None = None,
    options: Mapping[str, Any] | None = None,
) -> grpc.Channel:
    """Opens a channel to `host:port`, without TLS unless credentials are given.

    `metadata` goes with every call: `apikey`, or `adminkey` on the administration port.
    `timeout` is the seconds that a call may take, streams excepted, where it has none of its own;
    `math.inf` for as long as it takes.
    `options` are gRPC's channel arguments, in place of those that are set here.
    """
    # Files of other systems leave white space around a key.
    sent = tuple((name, value.strip()) for name, value in metadata.items())
    for name, value in sent:
        if not (value.isascii() and value.isprintable()):
            raise ValueError(
                f"{name} has a character that cannot be sent, want it exactly as issued"
            )
    settings = list({**_OPTIONS, **(options or {})}.items())
    if credentials is None:
        channel = grpc.insecure_channel(address, settings)
    else:
        channel = grpc.secure_channel(address, credentials, settings)
    return _Channel(channel, sent, timeout)


class _Channel(grpc.Channel):
    """Completes calls without an interceptor.

    With one, gRPC looks a method up at each call, which ends the interpreter with a segmentation
    fault once the channel is closed; without, it raises ValueError.
    """

    def __init__(
        self, channel: grpc.Channel, metadata: tuple[tuple[str, str], ...], timeout: float
    ) -> None:
        self._channel = channel
        self._metadata = metadata
        self._timeout = timeout

    def unary_unary(self, *args: Any, **named: Any) -> _Method:
        method = self._channel.unary_unary(*args, **named)
        return _Method(method, self._metadata, self._timeout)

    def unary_stream(self, *args: Any, **named: Any) -> _Method:
        return _Method(self._channel.unary_stream(*args, **named), self._metadata, None)

    def stream_unary(self, *args: Any, **named: Any) -> _Method:
        return _Method(self._channel.stream_unary(*args, **named), self._metadata, None)

    def stream_stream(self, *args: Any, **named: Any) -> _Method:
        return _Method(self._channel.stream_stream(*args, **named), self._metadata, None)

    def subscribe(self, *args: Any, **named: Any) -> None:
        self._channel.subscribe(*args, **named)

    def unsubscribe(self, *args: Any, **named: Any) -> None:
        self._channel.unsubscribe(*args, **named)

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> _Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Method:
    """A method of a channel that sends the metadata and has a timeout where the call has none."""

    def __init__(
        self, method: Any, metadata: tuple[tuple[str, str], ...], timeout: float | None
    ) -> None:
        self._method = method
        self._metadata = metadata
        self._timeout = timeout

    def __call__(
        self, request: Any, timeout: float | None = None, metadata: Any = None, **named: Any
    ) -> Any:
        return self._method(request, **self._complete(timeout, metadata), **named)

    def with_call(
        self, request: Any, timeout: float | None = None, metadata: Any = None, **named: Any
    ) -> Any:
        return self._method.with_call(request, **self._complete(timeout, metadata), **named)

    def future(
        self, request: Any, timeout: float | None = None, metadata: Any = None, **named: Any
    ) -> Any:
        return self._method.future(request, **self._complete(timeout, metadata), **named)

    def _complete(self, timeout: float | None, metadata: Any) -> dict[str, Any]:
        limit = self._timeout if timeout is None else timeout
        return {
            # gRPC would take infinity for a time that has passed.
            "timeout": None if limit == math.inf else limit,
            "metadata": (*(metadata or ()), *self._metadata),
        }
