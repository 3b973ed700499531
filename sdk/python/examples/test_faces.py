from imageanalysis.v1.face_detection_pb2 import ThresholdSource


def test_detect_single_face(client, portrait):
    answer = client.detect_single_face(portrait, landmarks=True, timeout=20)

    box = answer.face.bounding_box
    assert box.xmin < answer.face.landmarks.nose_tip.x < box.xmax
    assert 0.5 < answer.face.detection_score <= 1
    assert answer.face.crop_jpeg.startswith(b"\xff\xd8")


def test_detect_all_faces(client, portrait):
    answer = client.detect_all_faces(
        portrait, min_score=0.5, max_faces=10, crop=False, details=True, attributes=True
    )

    assert len(answer.faces) == 1
    assert answer.faces[0].attributes.quality > 0.5
    assert answer.faces[0].crop_jpeg == b""
    assert answer.details.threshold.source == ThresholdSource.THRESHOLD_SOURCE_REQUEST


def test_redact_faces(client, portrait):
    answer = client.redact_faces(portrait, style="box", format="png")

    assert answer.image.startswith(b"\x89PNG")
    assert (answer.content_type, answer.face_count) == ("image/png", 1)
    assert client.detect_all_faces(answer.image).faces == []
