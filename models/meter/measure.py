"""Which photos are measured on, and what counts as right."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from data import FOLDERS, OWN, face_pictures, is_held, labels_of, pictures_without_meter, shared_dir
from picture import read_picture


@dataclass
class Truth:
    source: str
    path: object
    digits: str = ""
    red: int = 0
    accept: tuple = ()
    display: bool = False


def truths_of(folder, file="labels.json", kind=None):
    for o in labels_of(folder, file):
        accept, display = tuple(o.get("accept", ())), o.get("kind", kind) == "display"
        yield Truth(o.get("source", folder.name), folder / o["file"], o["digits"], o["red_digits"], accept, display)


def shown_evaluation():
    """The visible half of the evaluation and the displays. Never train or choose on these."""
    meter = shared_dir() / "meter"
    yield from truths_of(meter / "eval", "ground_truth.json")
    yield from truths_of(meter / "lcd", "labels_lcd.json", kind="display")


def held_slice():
    """The training photos that are kept out to measure on. By `--all`, as in `folds.py`, they are trained on too."""
    for folder in FOLDERS:
        yield from (t for t in truths_of(shared_dir() / "meter" / folder) if is_held(t.source, t.digits))


def own_slice(folder):
    """The readings of own photos that train_own.py keeps out of training."""
    yield from (t for t in truths_of(folder) if is_held(OWN + t.source, t.digits))


def without_meter(evaluation: bool):
    """Pictures without a meter: the half to measure on, or the half that was trained on."""
    for path in pictures_without_meter(evaluation):
        yield Truth("no meter", path)


def non_meters():
    """Pictures without a meter by which thresholds are set: some trained on, and face pictures kept out of training."""
    yield from without_meter(False)
    for path in face_pictures(evaluation=True)[:200]:
        yield Truth("no meter", path)


def judge(answer, truth: Truth) -> dict:
    """Leading zeros count in `full` (the same wheels), not in `integer` (the same amount by the predicted fraction).
    `digits` are right wherever the point was set."""
    if answer is None or not answer["readable"]:
        return dict(answered=False, integer=False, digits=False, full=False, near=False, ok=False, confidence=0.0)
    digits, red = answer["digits"], answer["red_digits"] if answer["pointed"] else 0
    readings = [truth.digits, *truth.accept]

    def cut(s, r):
        return int(s[: len(s) - r] or 0)

    integer = any(cut(digits, red) == cut(s, truth.red) for s in readings)
    full = digits in readings and red == truth.red
    as_many = red == truth.red and len(digits) == len(truth.digits)
    near = as_many and any(abs(int(digits) - int(s)) <= 1 for s in readings)
    return dict(
        answered=True,
        integer=integer,
        digits=integer or digits in readings,
        full=full,
        near=near,
        ok=answer["status"] == "OK",
        confidence=answer["confidence"],
    )


def share(k: int, n: int) -> str:
    """k of n in %, with the 95 % Wilson interval."""
    if not n:
        return "  0.0 (0-100)"
    z, p = 1.96, k / n
    middle, spread = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = ((middle + v) / (1 + z * z / n) for v in (-spread, spread))
    return f"{100 * p:5.1f} ({100 * low:.0f}-{100 * high:.0f})"


def calibration_error(rows):
    """Expected calibration error of confidence against the integer part, over the answers given."""
    rows = [r for r in rows if r["answered"]]
    c, y = np.array([r["confidence"] for r in rows]), np.array([r["integer"] for r in rows], float)
    tenth = np.minimum((c * 10).astype(int), 9)
    table = [(b, (tenth == b).sum(), c[tenth == b].mean(), y[tenth == b].mean()) for b in np.unique(tenth)]
    return sum(n * abs(a - p) for _, n, a, p in table) / max(1, len(rows)), table


def run(reader, truths):
    """Judged rows of all truths, with the answer and the milliseconds in the networks."""
    for t in truths:
        answer = reader.read(read_picture(t.path))
        yield {"truth": t, "answer": answer, "ms": reader.seconds * 1000, **judge(answer, t)}
