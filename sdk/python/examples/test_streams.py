import pytest

from imageanalysis import ErrorReason, reason_of
from imageanalysis.v1.face_detection_pb2 import DetectAllFacesRequest, StreamDetectFacesRequest
from imageanalysis.v1.meter_reading_pb2 import ReadMeterRequest, StreamReadMetersRequest


def test_stream_detect_faces(client, portrait):
    pictures = {"good": portrait, "bad": b"no picture"}

    faces, reasons = {}, {}
    for answer in client.stream_detect_faces(
        StreamDetectFacesRequest(id=name, request=DetectAllFacesRequest(image=image, crop=False))
        for name, image in pictures.items()
    ):
        if answer.WhichOneof("result") == "response":
            faces[answer.id] = len(answer.response.faces)
        else:
            reasons[answer.id] = reason_of(answer.error)

    assert faces == {"good": 1}
    assert reasons == {"bad": ErrorReason.ERROR_REASON_UNSUPPORTED_IMAGE_TYPE}


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
