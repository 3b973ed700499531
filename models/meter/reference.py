"""Write what this reader makes of rendered pictures and of made-up strips, for the service's tests to compare.

python reference.py            after new weights or rules: computes the answers again
python reference.py --render   draws the pictures again as well

The pictures are drawn here and hold no photo. Both files lie in tests/core-server.
"""

import argparse
import hashlib
import json

import cv2
import numpy as np

from assemble import Hypothesis, assemble, readings_of, weigh
from geometry import expand, turned
from picture import read_picture
from pipeline import HERE, Reader

TESTS = HERE.parents[1] / "tests/core-server/features/meter"
FILE, PICTURES = TESTS / "reference.json", TESTS / "pictures"
# Name, seed of the picture, quarter turns clockwise.
DRAWN = [("wheels", 3, 0), ("upside-down", 5, 2), ("on-its-side", 11, 1), ("display", 10, 0)]


def draw(name, seed, quarter_turns):
    import augment
    from render.build import render

    augment.seed(seed)
    wanted = "rendered-display" if name == "display" else "rendered-wheels"
    while True:
        image, label = render(None, [])
        if label["source"] == wanted and len(label["digits"]) >= 5:
            break
    turned_image = np.rot90(image, -quarter_turns)
    cv2.imwrite(str(PICTURES / f"{name}.jpg"), turned_image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])


def rounded(value):
    """Short enough to read in a diff, exact enough for the tests."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [rounded(v) for v in value]
    return round(float(value), 6) if isinstance(value, (float, np.floating)) else value


def answer_of(hypotheses, rules, marks=None):
    a = assemble(hypotheses, rules, marks)
    return a and rounded(
        {
            "digits": a["digits"],
            "redDigits": a["red_digits"],
            "fractionSure": a["fraction_sure"],
            "digitsConfidence": a["digits_confidence"],
            "fractionConfidence": a["fraction_confidence"],
            "readable": a["readable"],
            "status": a["status"],
            "alternatives": a["alternatives"],
            "quad": a["quad"],
            "wheels": a["wheels"],
        }
    )


def strip_of(peaks, steps=56):
    """Blank but for some peaks: [step, class, probability]."""
    probs = np.zeros((steps, 21), np.float32)
    probs[:, 0] = 1
    for step, label, p in peaks:
        probs[step, label] += p
        probs[step, 0] -= p
    return probs


def redo_case(case, rules):
    """The made-up hypotheses of a case with what the pure functions make of them now."""
    hypotheses = []
    for given in case["hypotheses"]:
        h = Hypothesis(
            np.float32(given["quad"]),
            [strip_of(s["peaks"]) for s in given["strips"]],
            [s["legible"] for s in given["strips"]],
            given["counter"],
            given["agrees"],
            given["located"],
        )
        h.readings = readings_of(h.probs, rules)
        given.update(weight=round(weigh(h, rules), 6), readings=rounded(h.readings))
        hypotheses.append(h)
    marks = None
    if given := case.get("marks"):
        fraction = np.float32([*given["fraction"], given["untold"]])
        wheel, digit = np.float32(given["wheels"]), np.float32(given["digits"])
        marks = {"fraction": fraction, "wheel": wheel, "digit": digit, "before": False}
    case["answer"] = answer_of(hypotheses, rules, marks)


def picture_case(reader, path):
    """Every step on a picture, each from what the step before gave."""
    image = read_picture(path)
    located = reader.locate(image)
    corners, doubt, counter = reader.refine(image, [q for q, _ in located])
    strips = []
    for quad in (corners[0], turned(corners[0])):
        probs, legible = reader.read_strips(image, [expand(quad, **c) for c in reader.rules["crops"]])
        h = Hypothesis(quad, list(probs), [float(v) for v in legible], 1.0, 1.0, 1.0)
        h.readings = readings_of(h.probs, reader.rules)
        strips.append({"quad": quad, "legible": h.legible, "readings": h.readings})
    found = reader.hypotheses(image)
    return rounded(
        {
            "picture": path.name,
            "located": [{"quad": q, "score": s} for q, s in located],
            "refined": [{"quad": q, "doubt": d, "counter": c} for q, d, c in zip(corners, doubt, counter)],
            "read": strips,
            "answer": answer_of(found, reader.rules, reader.marks(image, found)),
        }
    )


def to_lines(reference):
    """As JSON with a line for each case, hypothesis, strip and wheel."""
    text = json.dumps(reference)
    for first in ("name", "picture", "quad", "peaks", "confidence", "crop"):
        text = text.replace(f'{{"{first}"', f'\n{{"{first}"')
    return text.replace(", \n", ",\n") + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--render", action="store_true", help="draw the pictures again")
    args = parser.parse_args()
    PICTURES.mkdir(exist_ok=True)
    if args.render:
        cv2.setNumThreads(0)
        for drawn in DRAWN:
            draw(*drawn)
    reference = json.loads(FILE.read_text())
    rules = reference["rules"]
    for case in reference["cases"]:
        redo_case(case, rules)
    for crop in reference["expanded"]["crops"]:
        crop["quad"] = rounded(expand(np.float32(reference["expanded"]["quad"]), **crop["crop"]))
    reader = Reader()
    reference["madeBy"] = "models/meter/reference.py"
    reference["networks"] = {
        f.name: hashlib.sha256(f.read_bytes()).hexdigest()
        for f in sorted(HERE.glob("meter-*.onnx")) + [HERE / "reader.json"]
    }
    reference["pictures"] = [picture_case(reader, PICTURES / f"{name}.jpg") for name, _, _ in DRAWN]
    FILE.write_text(to_lines(reference))
    for case in reference["pictures"]:
        a = case["answer"] or {"readable": False}
        said = "{digits}, {redDigits} red, {digitsConfidence:.3f} {fractionConfidence:.3f}"
        print(case["picture"], said.format(**a) if a["readable"] else "no reading")


if __name__ == "__main__":
    main()
