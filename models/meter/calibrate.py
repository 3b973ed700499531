"""Fit confidence and thresholds on the held slice and on training pictures without a meter; writes reader.json.

Logistic regression of "integer part right" on a few features, sources weighed alike by the square root of their photos.
"""
import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from data import HERE
from measure import held_slice, run, without_meter
from pipeline import Reader

NAMES = ["read", "neighbour", "legible", "counter", "locate", "margin"]


def fit(x, y, weight, ridge=1.0, steps=50):
    """Newton's method; the ridge pulls the weights to zero, not the bias."""
    x = np.concatenate([np.ones((len(x), 1)), x], 1)
    penalty = np.diag([0] + [ridge] * (x.shape[1] - 1))
    b = np.zeros(x.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ b))
        gradient = x.T @ (weight * (y - p)) - penalty @ b
        curvature = (x * (weight * p * (1 - p))[:, None]).T @ x + penalty + 1e-6 * np.eye(len(b))
        b = b + np.linalg.solve(curvature, gradient)
    return b


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=HERE, help="networks that have not seen the held slice")
    parser.add_argument("--right", type=float, default=.97, help="share of `ok` answers that must be right on the held slice")
    args = parser.parse_args()
    path = HERE / "reader.json"
    rules = json.loads(path.read_text())
    open_rules = {**rules, "refuse": {"legible": 0.0, "confidence": 0.0}}
    reader = Reader(args.folder, open_rules)
    rows = [r for r in run(reader, list(held_slice()) + list(without_meter(False))) if r["answer"]]
    meters = [r for r in rows if r["truth"].source != "no meter"]
    features = lambda rs: np.array([[r["answer"]["features"][k] for k in NAMES] for r in rs])
    count = Counter(r["truth"].source for r in rows)
    weight = lambda rs: np.array([count[r["truth"].source] ** -.5 for r in rs])
    scale = lambda w: w / w.mean()
    y = lambda rs: np.array([r["integer"] for r in rs], float)
    b = fit(features(meters), y(meters), scale(weight(meters)))
    rules["calibration"] = {"bias": round(float(b[0]), 4), **{k: round(float(v), 4) for k, v in zip(NAMES, b[1:])}}
    confidence = lambda rs: 1 / (1 + np.exp(-(features(rs) @ b[1:] + b[0])))
    c, right = confidence(meters), y(meters)
    steps = np.linspace(.5, .98, 97)
    enough = [s for s in steps if (c >= s).any() and right[c >= s].mean() >= args.right]
    rules["okConfidence"] = round(float(min(enough, default=.95)), 3)
    path.write_text(json.dumps(rules, indent=2) + "\n")
    print("features:", rules["calibration"])
    print(f"{len(meters)} photos; ok at {rules['okConfidence']}: kept {np.mean(c >= rules['okConfidence']):.3f}, right {right[c >= rules['okConfidence']].mean():.3f}")
    others = [r for r in rows if r["truth"].source == "no meter"]
    lowest = np.sort([r["answer"]["features"]["legible"] for r in meters if r["integer"]])[:8]
    print("no meter, most legible:", np.sort([r["answer"]["features"]["legible"] for r in others])[-8:].round(2), "rightly read, least legible:", lowest.round(2))
    print("no meter, most confident:", np.sort(confidence(others))[-8:].round(3), "rightly read, least:", np.sort(c[right == 1])[:8].round(3))


if __name__ == "__main__":
    main()
