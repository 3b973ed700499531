def test_get_version(client):
    answer = client.get_version()

    assert answer.version
    assert "meter-read" in [model.name for model in answer.models]
