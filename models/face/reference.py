"""Writes what `cascade.py` makes of made-up looks, for the service's tests to compare with its own cascade.

    python reference.py        after a change of the rule; writes tests/core-server/features/face/cascade-reference.json

Coordinates of looks are quarters of a pixel and scores hundredths, so that 32 and 64 bits are the same; mean boxes
and scores are compared to a hundredth.
"""

import json
from pathlib import Path

import numpy as np

from cascade import CascadeRule
from detector import Found

FILE = Path(__file__).resolve().parents[2] / "tests/core-server/features/face/cascade-reference.json"
# Not the served one: the test must not change with the weights.
RULE = {
    "overviewSide": 640,
    "weakScore": 0.1,
    "sureScore": 0.5,
    "uprightScore": 0.9,
    "turnedScore": 0.8,
    "turnedSide": 72,
    "largeSide": 96,
    "glanceScale": 0.45,
    "smallSide": 40,
    "margin": 32,
    "secondPixels": 750000,
    "maxZoom": 1.5,
    "minGain": 1.25,
    "keepSide": 48,
    "loneSide": 24,
    "mirrorScale": 0.7,
    "doubtScore": 0.3,
    "certainScore": 0.8,
    "doubtSide": 32,
}
SIZES = [(640, 480), (1024, 768), (1920, 1080), (300, 500), (4000, 3000)]
# What a case is about: sides of the faces in pixels of the overview, and their least score.
KINDS = {
    "crowd": ((6, 60), 0.05),
    "portrait": ((90, 300), 0.4),
    "both": ((10, 250), 0.05),
    "unsure": ((20, 200), 0.05),
    "nothing": ((20, 200), 0.05),
}


def made_up(rng, faces, size, limit, jitter):
    """A look that sees most of the faces about where they are, some doubled, and what is none."""
    rows = []
    for x, y, side, score in faces:
        for _ in range(1 + (rng.random() < 0.2)):
            if rng.random() < 0.85:
                shift = rng.normal(0, jitter * side, 4)
                box = np.array([x - side / 2, y - side * 0.6, x + side / 2, y + side * 0.6]) + shift
                rows.append([min(score + rng.normal(0, 0.1), limit), *box])
    for _ in range(rng.integers(0, 4)):
        x, y, side = rng.uniform(0, size[0]), rng.uniform(0, size[1]), rng.uniform(8, 150)
        rows.append([rng.uniform(0.02, 0.3), x, y, x + side, y + side])
    rows = np.array(rows).reshape(-1, 5)
    boxes = np.round(rows[:, 1:] * 4) / 4
    scores = np.clip(np.round(rows[:, 0], 2), 0.02, 0.99)
    order = np.argsort(-scores, kind="stable")
    found = Found(np.float32(boxes)[order], np.float32(scores)[order], np.zeros((len(rows), 5, 2), np.float32))
    return found.suppressed()


def listed(found):
    """Rows [score, xmin, ymin, xmax, ymax]."""
    return [
        [round(float(score), 3), *(round(float(v), 2) for v in box)] for score, box in zip(found.scores, found.boxes)
    ]


def case(rng, kind, size, rule):
    (low, high), least = KINDS[kind]
    scale = rule.overview_scale(*size)
    limit = {"unsure": 0.85, "nothing": 0.3}.get(kind, 0.99)
    count = int(rng.integers(1, 4)) if kind == "portrait" else int(rng.integers(1, 12))
    faces = [
        (*rng.uniform(0, size), np.exp(rng.uniform(np.log(low), np.log(high))) / scale, rng.uniform(least, limit))
        for _ in range(count)
    ]
    glance, overview, second = (made_up(rng, faces, size, limit, jitter) for jitter in (0.06, 0.04, 0.03))
    turned = [made_up(rng, faces, size, 0.99, 0.08) for _ in range(3)]
    suffices = bool(rule.suffices(glance, scale))
    found = glance if suffices else rule.add_glance(overview, glance, scale)
    result = {"afterFirst": listed(found), "suffices": suffices, "mayBeTurned": bool(rule.may_be_turned(found))}
    # Drawn apart: the other looks stay as they were.
    apart = rng.spawn(1)[0]
    closer = made_up(apart, faces, size, 0.99, 0.05)
    mirror = made_up(apart, faces, size, limit, 0.04)
    if result["mayBeTurned"]:
        quarter = rule.quarter(found, turned, scale)
        if quarter is not None:
            result["quarter"] = quarter + 1
        for look in turned:
            found = rule.add_turned(found, look, scale, rule.turned_score)
        if quarter is not None:
            found = rule.add_turned(found, closer, scale, rule.sure_score)
        result["afterTurned"] = listed(found)
    first_scale = scale * rule.glance_scale if suffices else scale
    region = rule.region(found, *size, scale, first_scale)
    if region:
        result["region"], result["zoom"] = list(region[0]), round(float(region[1]), 9)
        both = rule.with_mirror(second, mirror)
        result["withMirror"] = listed(both)
        found = rule.merge(found, both, region, *size, scale)
        result["merged"] = listed(found)
    doubtful = found.pick(rule.is_doubtful(found, scale))
    result["doubtful"] = []
    for row, box, seen in zip(listed(doubtful), doubtful.boxes, (0.02, 0.4, 0.7, 0.95) * 3):
        region, zoom = rule.close_up(box, *size)
        score = rule.with_close_up(row[0], seen)
        result["doubtful"].append(
            {"face": row, "region": region, "zoom": round(float(zoom), 6), "seen": seen, "score": score}
        )
    return {
        "name": f"{kind}, {size[0]} x {size[1]}",
        "size": list(size),
        "glance": listed(glance),
        "overview": listed(overview),
        "turned": [listed(look) for look in turned],
        "closer": listed(closer),
        "second": listed(second),
        "mirror": listed(mirror),
        "result": result,
    }


def turned_back(width, height):
    """A box and a point of a picture turned by quarters clockwise, in the upright one of this size."""
    rows = []
    for turns in (1, 2, 3):
        found = Found(np.float32([[10, 20, 50, 90]]), np.float32([1]), np.float32([[[12, 34]] * 5]))
        back = found.turned_back(4 - turns, width, height)
        rows.append(
            {
                "turns": turns,
                "size": [width, height],
                "box": [10, 20, 50, 90],
                "point": [12, 34],
                "boxBack": back.boxes[0].tolist(),
                "pointBack": back.landmarks[0, 0].tolist(),
            }
        )
    return rows


def main():
    rng = np.random.default_rng(7)
    rule = CascadeRule.of(RULE)
    cases = [case(rng, kind, size, rule) for kind in KINDS for size in SIZES]
    reference = {
        "madeBy": "models/face/reference.py",
        "rule": RULE,
        "turnedBack": turned_back(300, 200),
        "cases": cases,
    }
    FILE.write_text(json.dumps(reference, separators=(",", ":")).replace('{"name"', '\n{"name"') + "\n")
    print(f"{len(cases)} cases, {sum('merged' in c['result'] for c in cases)} with a second look")


if __name__ == "__main__":
    main()
