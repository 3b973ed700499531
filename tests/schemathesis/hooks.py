"""What the document cannot say, told to Schemathesis.

Where a request is meant to be valid, its values are made so where JSON Schema has no words for what the
contract wants. Nothing that the service answers is excused.
"""

import base64
import os
from pathlib import Path

import schemathesis
from schemathesis.transport.serialization import Binary

COMPANY = os.environ["IMAGE_ANALYSIS_COMPANY"]
SAMPLES = Path(os.environ["IMAGE_ANALYSIS_SAMPLES"])
PICTURES = {
    "Face detection": (SAMPLES / "astronaut.jpg").read_bytes(),
    "Meter reading": (SAMPLES / "meter.jpg").read_bytes(),
}


@schemathesis.hook
def map_case(context, case):
    """Called for what is generated."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    return make_valid(case) if is_valid else case


@schemathesis.hook
def filter_case(context, case):
    """Any bytes are valid by the document where a picture is the whole body, and hardly any are a picture."""
    return not (case.media_type or "").startswith("image/")


@schemathesis.hook
def before_add_examples(context, examples):
    """Called for what is made of the document's examples."""
    for case in examples:
        make_valid(case)


def make_valid(case):
    """The case, with values that the document describes in words only."""
    if isinstance(case.body, dict):
        keep_rules(case.body)
        put_picture(case)
        if case.media_type == "multipart/form-data":
            keep_printable(case.body)
    return case


def put_picture(case):
    """A string of bytes is no picture, and not every picture has a face or a meter in it."""
    picture = PICTURES.get(case.operation.tags[0])
    if "file" in case.body:
        del case.body["file"]
        # Files stand behind the fields.
        case.body["file"] = [Binary(picture)] if case.path.endswith(("/batch", "/fuse")) else Binary(picture)
    if "image" in case.body:
        case.body["image"] = "data:image/jpeg;base64," + base64.b64encode(picture).decode()


def keep_rules(body):
    # Any other is unknown, and its own score may be one that no face has.
    if body.get("company"):
        body["company"] = COMPANY
        body.setdefault("min_score", 0.5)
    if isinstance(body.get("min_score"), (int, float)):
        body["min_score"] = min(body["min_score"], 0.9)
    if isinstance(body.get("min_quality"), (int, float)):
        body["min_quality"] = min(body["min_quality"], 0.3)
    # `multipleOf: 0.000001` would make validators that divide floats refuse 0.57.
    for name in ("detection_score", "min_score", "min_quality", "margin"):
        if isinstance(body.get(name), float):
            body[name] = plain(body[name])
    # Two pairs of members that depend on one another.
    digits, decimals = body.get("expected_digits"), body.get("expected_decimals")
    if digits is not None and decimals is not None:
        body["expected_decimals"] = min(decimals, digits - 1)
    if body.get("max_increase") and not body.get("previous_reading"):
        body["previous_reading"] = "0"


def keep_printable(form):
    """The name of a part stands in a header, where HTTP has no control characters."""
    for name in [name for name in form if not name.isprintable()]:
        del form[name]


def plain(score):
    """In plain decimal notation with at most 6 decimals."""
    return f"{score:.6f}"
