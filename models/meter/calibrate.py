"""Fit confidence and thresholds on photos that the networks have not seen; writes reader.json.

Logistic regression of "digits right, wherever the point is" on a few features, no weight below zero: the point has a
confidence of its own, by which this one is multiplied. Sources never trained on count as
much as the held readings of toloka and cn: confidence must hold on meters that nobody has labelled. What it prints is
out of fold: every source never trained on is judged by a fit without it, the held readings in ten folds.
"""

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from data import HERE, hash_of, is_held, shared_dir
from measure import calibration_error, held_slice, non_meters, run
from pipeline import Reader

NAMES = ["read", "legible", "locate", "margin"]
SEEN = ("toloka", "cn")
FOLDS = 10
NON_METERS = 0.1  # their weight beside the photos of meters


def fit(x, y, weight, ridge=1.0, steps=60):
    """Newton's method; the ridge pulls the weights to zero, not the bias. No weight is negative."""
    free = list(range(x.shape[1]))
    while True:
        a = np.concatenate([np.ones((len(x), 1)), x[:, free]], 1)
        penalty = np.diag([0] + [ridge] * len(free))
        b = np.zeros(a.shape[1])
        for _ in range(steps):
            p = 1 / (1 + np.exp(-a @ b))
            gradient = a.T @ (weight * (y - p)) - penalty @ b
            curvature = (a * (weight * p * (1 - p))[:, None]).T @ a + penalty + 1e-6 * np.eye(len(b))
            b = b + np.linalg.solve(curvature, gradient)
        if len(free) == 0 or b[1:].min() >= 0:
            whole = np.zeros(x.shape[1] + 1)
            whole[[0, *(f + 1 for f in free)]] = b
            return whole
        free.pop(int(b[1:].argmin()))


def confidence(b, x):
    return 1 / (1 + np.exp(-(x @ b[1:] + b[0])))


def fold_of(truth) -> str:
    return f"{truth.source}-{hash_of(truth.digits) % FOLDS}" if truth.source in SEEN else truth.source


def fraction_prior(power=0.5, pseudo=10.0, without=()):
    """How usual 0, 1, 2, … red wheels are, by number of wheels: labels of the training photos, a source weighted by a
    power of its photos, plus pseudo-counts distributed as over all numbers of wheels."""
    rows = [
        o
        for folder, family in (("train", "main"), ("train_extra", "extra"))
        for o in json.loads((shared_dir() / "meter" / folder / "labels.json").read_text())
        if o["source"] not in without and (without or not is_held(o["source"], o["digits"], family))
    ]
    photos = Counter(o["source"] for o in rows)
    table, overall = defaultdict(lambda: np.zeros(5)), np.full(5, 0.5)
    for o in rows:
        weight = photos[o["source"]] ** (power - 1)
        table[len(o["digits"])][min(o["red_digits"], 4)] += weight
        overall[min(o["red_digits"], 4)] += weight
    overall /= overall.sum()

    def rounded(v):
        return [max(0.01, round(float(x), 3)) for x in v / v.sum()]  # nothing is impossible

    return {**{str(n): rounded(t + pseudo * overall) for n, t in sorted(table.items())}, "other": rounded(overall)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=HERE, help="networks that have not seen the held slice")
    parser.add_argument("--rules", type=Path, default=HERE / "reader.json", help="what to fit")
    parser.add_argument(
        "--keep",
        type=float,
        default=0.7,
        help="share of the photos of sources never trained on that must reach `okConfidence`, out of fold",
    )
    args = parser.parse_args()
    rules = json.loads(args.rules.read_text())
    rules["fractionPrior"] = fraction_prior()
    reader = Reader(args.folder, {**rules, "refuse": {"legible": 0.0, "confidence": 0.0}})
    rows = [r for r in run(reader, held_slice()) if r["answer"]]
    others = [r for r in run(reader, non_meters()) if r["answer"]]

    def features(rs):
        return np.array([[r["answer"]["features"][k] for k in NAMES] for r in rs])

    x, y = features(rows), np.array([r["digits"] for r in rows], float)
    unseen = np.array([r["truth"].source not in SEEN for r in rows])
    weight = np.where(unseen, (~unseen).sum() / max(1, unseen.sum()), 1.0)
    weight *= len(weight) / weight.sum()
    # What is read where there is no meter is wrong too.
    away = features(others)
    light = np.full(len(others), NON_METERS * len(rows) / len(others))

    def whole(keep):
        return fit(
            np.concatenate([x[keep], away]),
            np.concatenate([y[keep], np.zeros(len(others))]),
            np.concatenate([weight[keep], light]),
        )

    folds = np.array([fold_of(r["truth"]) for r in rows])
    c = np.zeros(len(rows))
    for fold in set(folds):
        c[folds == fold] = confidence(whole(folds != fold), x[folds == fold])
    b = whole(folds != "")
    rules["calibration"] = {"bias": round(float(b[0]), 4), **{k: round(float(v), 4) for k, v in zip(NAMES, b[1:])}}
    enough = [s for s in np.linspace(0.5, 0.98, 97) if (c[unseen] >= s).mean() >= args.keep]
    rules["okConfidence"] = round(float(max(enough)), 3)  # the highest: right comes before kept
    args.rules.write_text(json.dumps(rules, indent=2) + "\n")
    print("weights:", rules["calibration"])
    for name, which in (("never trained on", unseen), ("held readings", ~unseen), ("together", unseen | True)):
        ok = which & (c >= rules["okConfidence"])
        error, table = calibration_error(
            [dict(answered=True, confidence=p, integer=t) for p, t in zip(c[which], y[which])]
        )
        print(
            f"{name}: {which.sum()} photos, confidence from {rules['okConfidence']}: right {y[ok].mean():.3f}, "
            f"kept {ok.sum() / which.sum():.3f}; ECE {error:.3f}: "
            + ", ".join(f"{p:.2f}→{t:.2f} ({n})" for _, n, p, t in table)
        )
    print(
        f"{len(others)} pictures without a meter: most confident {np.sort(confidence(b, away))[-8:].round(3)}, "
        f"most legible (logit) {np.sort(away[:, NAMES.index('legible')])[-8:].round(1)}"
    )
    right = confidence(b, x)[y == 1]
    print(
        f"read correctly: least confident {np.sort(right)[:8].round(3)}, "
        f"least legible {np.sort(x[y == 1, NAMES.index('legible')])[:8].round(1)}"
    )


if __name__ == "__main__":
    main()
