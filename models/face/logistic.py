"""Logistic regression: what turns scores into probabilities."""

import numpy as np


def log_odds(scores):
    scores = np.clip(scores, 1e-6, 1 - 1e-6)
    return np.log(scores / (1 - scores))


def fit(features, hits, steps=50):
    """[N,C] and [N] to the weights [C] of the regression of hits on the columns, by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-features @ weights))
        hessian = (features * (p * (1 - p))[:, None]).T @ features + 1e-6 * np.eye(len(weights))
        weights += np.linalg.solve(hessian, features.T @ (hits - p))
    return weights
