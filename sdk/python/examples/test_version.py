from importlib.metadata import distribution


def test_get_version(client):
    answer = client.get_version()

    assert answer.version
    assert "meter-read" in [model.name for model in answer.models]


def test_the_licence_comes_with_it():
    assert "MIT License" in (distribution("imageanalysis").read_text("licenses/LICENSE") or "")
