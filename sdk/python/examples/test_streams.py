import os
import socket
import threading

import grpc
import pytest

from imageanalysis import Client, ErrorReason, ServiceError
from imageanalysis.v1.face_detection_pb2 import DetectAllFacesRequest, StreamDetectFacesRequest
from imageanalysis.v1.meter_reading_pb2 import ReadMeterRequest, StreamReadMetersRequest


def test_stream_detect_faces(client, portrait):
    pictures = {"good": portrait, "bad": b"no picture"}

    faces, refusals = {}, {}
    for answer in client.stream_detect_faces(
        StreamDetectFacesRequest(id=name, request=DetectAllFacesRequest(image=image, crop=False))
        for name, image in pictures.items()
    ):
        if answer.WhichOneof("result") == "response":
            faces[answer.id] = len(answer.response.faces)
        else:
            refusals[answer.id] = ServiceError(answer.error)

    assert faces == {"good": 1}
    assert refusals["bad"].reason == ErrorReason.ERROR_REASON_UNSUPPORTED_IMAGE_TYPE
    assert refusals["bad"].code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusals["bad"].details == {"field": "image"}


def test_stream_read_meters(client, meter):
    request = StreamReadMetersRequest(id="hall", request=ReadMeterRequest(image=meter))

    answers = list(client.stream_read_meters([request]))

    assert [(answer.id, answer.response.value) for answer in answers] == [("hall", "00473.286")]


def test_a_stream_takes_pictures_only_as_fast_as_they_are_read(client, portrait):
    count = 80
    taken = 0

    def requests():
        nonlocal taken
        for taken in range(1, count + 1):
            image = portrait + bytes(2_000_000)
            request = DetectAllFacesRequest(image=image, crop=False)
            yield StreamDetectFacesRequest(id=str(taken), request=request)

    answers = client.stream_detect_faces(requests())
    ids = {next(answers).id}
    assert taken < count / 2
    ids.update(answer.id for answer in answers)

    assert ids == {str(number) for number in range(1, count + 1)}


def test_what_the_iterable_raises_comes_back(client, portrait):
    cause = OSError("the disk is gone")

    def requests():
        yield StreamDetectFacesRequest(id="one", request=DetectAllFacesRequest(image=portrait))
        raise FileNotFoundError("portrait.jpg") from cause

    with pytest.raises(FileNotFoundError) as failure:
        list(client.stream_detect_faces(requests()))

    assert failure.value.__cause__ is cause


def test_a_program_that_ends_in_the_iterable_ends_the_stream(client):
    def requests():
        yield StreamDetectFacesRequest(id="one")
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        list(client.stream_detect_faces(requests(), timeout=5))


def test_a_stream_ends_when_the_service_is_gone(meter):
    proxy = Proxy(os.environ["IMAGE_ANALYSIS_GRPC"])
    over = threading.Event()

    def requests():
        yield StreamReadMetersRequest(id="hall", request=ReadMeterRequest(image=meter))
        over.wait()

    soon = {"grpc.keepalive_time_ms": 100, "grpc.http2.ping_timeout_ms": 1_000}
    with Client(proxy.address, os.environ["IMAGE_ANALYSIS_APIKEY"], options=soon) as client:
        answers = client.stream_read_meters(requests())
        assert next(answers).id == "hall"
        proxy.is_silent = True
        with pytest.raises(ServiceError) as failure:
            next(answers)
    over.set()

    assert failure.value.code == grpc.StatusCode.UNAVAILABLE


class Proxy:
    """Passes on one connection; once silent, it swallows all, like a network that forgot it."""

    def __init__(self, service: str) -> None:
        self.is_silent = False
        self._service = service
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        client, _ = self._listener.accept()
        host, port = self._service.rsplit(":", 1)
        service = socket.create_connection((host, int(port)))
        threading.Thread(target=self._pass_on, args=(service, client), daemon=True).start()
        self._pass_on(client, service)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        while data := source.recv(65_536):
            if not self.is_silent:
                target.sendall(data)
