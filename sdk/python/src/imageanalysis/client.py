"""The calls of the service as methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import grpc

from .channel import DEFAULT_TIMEOUT_SECONDS, open_channel
from .errors import ServiceError
from .v1 import (
    face_detection_pb2 as faces,
    meter_reading_pb2 as meters,
    score_config_pb2 as scores,
    version_pb2 as versions,
)
from .v1.face_detection_pb2_grpc import FaceDetectionServiceStub
from .v1.meter_reading_pb2_grpc import MeterReadingServiceStub
from .v1.score_config_pb2_grpc import ScoreConfigServiceStub
from .v1.version_pb2_grpc import VersionServiceStub


class Client:
    """Calls the service with one API key; may be shared by threads.

    Every method raises `ServiceError`, and `ValueError` once the client is closed. `timeout` is in
    seconds.
    """

    def __init__(
        self,
        address: str,
        api_key: str,
        *,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        credentials: grpc.ChannelCredentials | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`address` is `host:port`; without credentials the connection has no TLS.

        `options` are gRPC's channel arguments, in place of the client's own.
        """
        self._channel = open_channel(
            address, {"apikey": api_key}, timeout=timeout, credentials=credentials, options=options
        )
        self._faces = FaceDetectionServiceStub(self._channel)
        self._meters = MeterReadingServiceStub(self._channel)
        self._scores = ScoreConfigServiceStub(self._channel)
        self._versions = VersionServiceStub(self._channel)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection and the calls under way."""
        self._channel.close()

    def detect_single_face(
        self,
        image: bytes,
        *,
        company: str = "",
        min_score: float | None = None,
        landmarks: bool = False,
        crop: bool | None = None,
        details: bool = False,
        attributes: bool | None = None,
        min_quality: float | None = None,
        crop_aligned: bool | None = None,
        margin: float | None = None,
        crop_format: str | None = None,
        crop_size: int | None = None,
        timeout: float | None = None,
    ) -> faces.DetectSingleFaceResponse:
        """Finds the largest face; NO_FACE when there is none."""
        request = faces.DetectSingleFaceRequest(
            image=image,
            company=company,
            min_score=min_score,
            landmarks=landmarks,
            crop=crop,
            details=details,
            attributes=attributes,
            min_quality=min_quality,
            crop_aligned=crop_aligned,
            margin=margin,
            crop_format=crop_format,
            crop_size=crop_size,
        )
        return _call(self._faces.DetectSingleFace, request, timeout)

    def detect_all_faces(
        self,
        image: bytes,
        *,
        company: str = "",
        min_score: float | None = None,
        max_faces: int | None = None,
        landmarks: bool = False,
        crop: bool | None = None,
        details: bool = False,
        attributes: bool | None = None,
        min_quality: float | None = None,
        crop_aligned: bool | None = None,
        margin: float | None = None,
        crop_format: str | None = None,
        crop_size: int | None = None,
        timeout: float | None = None,
    ) -> faces.DetectAllFacesResponse:
        """Finds all faces, largest first."""
        request = faces.DetectAllFacesRequest(
            image=image,
            company=company,
            min_score=min_score,
            max_faces=max_faces,
            landmarks=landmarks,
            crop=crop,
            details=details,
            attributes=attributes,
            min_quality=min_quality,
            crop_aligned=crop_aligned,
            margin=margin,
            crop_format=crop_format,
            crop_size=crop_size,
        )
        return _call(self._faces.DetectAllFaces, request, timeout)

    def redact_faces(
        self,
        image: bytes,
        *,
        company: str = "",
        min_score: float | None = None,
        style: str | None = None,
        margin: float | None = None,
        format: str | None = None,
        timeout: float | None = None,
    ) -> faces.RedactFacesResponse:
        """Hides all faces, and returns the picture without metadata.

        `style` is blur, pixelate or box; `format` is jpeg, png or webp.
        """
        request = faces.RedactFacesRequest(
            image=image,
            company=company,
            min_score=min_score,
            style=style,
            margin=margin,
            format=format,
        )
        return _call(self._faces.RedactFaces, request, timeout)

    def stream_redact_faces(
        self,
        requests: Iterable[faces.StreamRedactFacesRequest],
        *,
        timeout: float | None = None,
    ) -> Iterator[faces.StreamRedactFacesResponse]:
        """Hides the faces in many pictures; otherwise as `stream_detect_faces`."""
        return _stream(self._faces.StreamRedactFaces, requests, timeout)

    def stream_detect_faces(
        self,
        requests: Iterable[faces.StreamDetectFacesRequest],
        *,
        timeout: float | None = None,
    ) -> Iterator[faces.StreamDetectFacesResponse]:
        """Finds the faces of many pictures; answers come in any order.

        The iterable is read, in a thread of its own, only as fast as the service takes pictures.
        What it raises ends the call and is raised here.
        """
        return _stream(self._faces.StreamDetectFaces, requests, timeout)

    def read_meter(
        self,
        image: bytes,
        *,
        expected_digits: int | None = None,
        expected_decimals: int | None = None,
        previous_reading: str | None = None,
        max_increase: str | None = None,
        serial_number: bool | None = None,
        alternatives: bool | None = None,
        details: bool | None = None,
        expected_unit: str | None = None,
        timeout: float | None = None,
    ) -> meters.ReadMeterResponse:
        """Reads a water meter; NO_READING when there is no readable counter."""
        request = meters.ReadMeterRequest(
            image=image,
            expected_digits=expected_digits,
            expected_decimals=expected_decimals,
            previous_reading=previous_reading,
            max_increase=max_increase,
            serial_number=serial_number,
            alternatives=alternatives,
            details=details,
            expected_unit=expected_unit,
        )
        return _call(self._meters.ReadMeter, request, timeout)

    def fuse_meter_readings(
        self,
        images: Iterable[bytes],
        *,
        expected_digits: int | None = None,
        expected_decimals: int | None = None,
        previous_reading: str | None = None,
        max_increase: str | None = None,
        alternatives: bool | None = None,
        details: bool | None = None,
        expected_unit: str | None = None,
        timeout: float | None = None,
    ) -> meters.FuseMeterReadingsResponse:
        """Reads up to 8 photos of one meter as one; NO_READING when none has a readable counter."""
        request = meters.FuseMeterReadingsRequest(
            images=images,
            expected_digits=expected_digits,
            expected_decimals=expected_decimals,
            previous_reading=previous_reading,
            max_increase=max_increase,
            alternatives=alternatives,
            details=details,
            expected_unit=expected_unit,
        )
        return _call(self._meters.FuseMeterReadings, request, timeout)

    def stream_read_meters(
        self,
        requests: Iterable[meters.StreamReadMetersRequest],
        *,
        timeout: float | None = None,
    ) -> Iterator[meters.StreamReadMetersResponse]:
        """Reads many meters; otherwise as `stream_detect_faces`."""
        return _stream(self._meters.StreamReadMeters, requests, timeout)

    def get_detection_score(
        self, company: str, password: str, *, timeout: float | None = None
    ) -> scores.GetDetectionScoreResponse:
        """Shows a company's default threshold."""
        request = scores.GetDetectionScoreRequest(company=company, password=password)
        return _call(self._scores.GetDetectionScore, request, timeout)

    def set_detection_score(
        self,
        company: str,
        password: str,
        detection_score: float,
        *,
        timeout: float | None = None,
    ) -> scores.SetDetectionScoreResponse:
        """Sets a company's default threshold, 0 to 1."""
        request = scores.SetDetectionScoreRequest(
            company=company, password=password, detection_score=detection_score
        )
        return _call(self._scores.SetDetectionScore, request, timeout)

    def get_version(self, *, timeout: float | None = None) -> versions.GetVersionResponse:
        """Says which versions of the service and of its models are running."""
        return _call(self._versions.GetVersion, versions.GetVersionRequest(), timeout)


def _call(method: Callable[..., Any], request: Any, timeout: float | None) -> Any:
    try:
        return method(request, timeout=timeout)
    except grpc.RpcError as error:
        raise ServiceError.from_rpc_error(error) from error


def _stream(
    method: Callable[..., Any], requests: Iterable[Any], timeout: float | None
) -> Iterator[Any]:
    failures: list[BaseException] = []

    def read() -> Iterator[Any]:
        # gRPC only logs what an iterable raises, and goes on waiting unless it is an Exception.
        try:
            yield from requests
        except GeneratorExit:
            raise
        except BaseException as failure:
            failures.append(failure)
            raise RuntimeError from failure

    answers = method(read(), timeout=timeout)
    try:
        yield from answers
    except grpc.RpcError as error:
        if not failures:
            raise ServiceError.from_rpc_error(error) from error
    finally:
        # A caller that stops reading early ends the call.
        answers.cancel()
    # Outside of the handler, so that its own cause stays.
    if failures:
        raise failures[0]
