"""Fits confidence (`unseen.py --fit`), and counts how usual a fraction is.

Logistic regression of "digits right, wherever the point is" on a few features, no weight below zero: the point has a
confidence of its own, by which this one is multiplied.
"""

from collections import Counter, defaultdict

import numpy as np

from data import labels_of, shared_dir

NAMES = ["read", "legible", "locate", "margin", "wheels"]
NON_METERS = 0.1  # their weight beside the photos of meters


def fit(x, y, weight):
    """Newton's method; a ridge of 1 pulls the weights to zero, not the bias. No weight is negative."""
    free = list(range(x.shape[1]))
    while True:
        a = np.concatenate([np.ones((len(x), 1)), x[:, free]], 1)
        penalty = np.diag([0] + [1] * len(free))
        b = np.zeros(a.shape[1])
        for _ in range(60):
            p = 1 / (1 + np.exp(-a @ b))
            gradient = a.T @ (weight * (y - p)) - penalty @ b
            curvature = (a * (weight * p * (1 - p))[:, None]).T @ a + penalty + 1e-6 * np.eye(len(b))
            b = b + np.linalg.solve(curvature, gradient)
        if len(free) == 0 or b[1:].min() >= 0:
            whole = np.zeros(x.shape[1] + 1)
            whole[[0, *(f + 1 for f in free)]] = b
            return whole
        free.pop(int(b[1:].argmin()))


def fraction_prior(without=()):
    """How usual 0, 1, 2, … red wheels are, by number of wheels: labels of the training photos but those of `more`, a
    source weighted by the root of its photos, plus ten pseudo-counts distributed as over all numbers of wheels."""
    rows = [
        o
        for folder in ("train", "train_extra")
        for o in labels_of(shared_dir() / "meter" / folder)
        if o["source"] not in without
    ]
    photos = Counter(o["source"] for o in rows)
    table, overall = defaultdict(lambda: np.zeros(5)), np.full(5, 0.5)
    for o in rows:
        weight = photos[o["source"]] ** -0.5
        table[len(o["digits"])][min(o["red_digits"], 4)] += weight
        overall[min(o["red_digits"], 4)] += weight
    overall /= overall.sum()

    def rounded(v):
        return [max(0.01, round(float(x), 3)) for x in v / v.sum()]  # nothing is impossible

    return {**{str(n): rounded(t + 10 * overall) for n, t in sorted(table.items())}, "other": rounded(overall)}
