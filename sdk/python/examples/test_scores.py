import os

COMPANY = os.environ["IMAGE_ANALYSIS_COMPANY"]
PASSWORD = os.environ["IMAGE_ANALYSIS_PASSWORD"]


def test_set_and_get_detection_score(client):
    client.set_detection_score(COMPANY, PASSWORD, 0.65)

    assert client.get_detection_score(COMPANY, PASSWORD).detection_score == 0.65
