"""CTC as pure functions: probabilities of one strip (T, 21) to readings, their likelihood and the place of each wheel.

Classes: 0 blank, 1..10 black 0..9, 11..20 red 0..9. Colour is merged away while reading and told at the end.
"""

import math

import numpy as np

NEVER = -1e30


def merge_colours(probs: np.ndarray) -> np.ndarray:
    """(T, 21) to (T, 11): blank and ten digits."""
    return np.concatenate([probs[:, :1], probs[:, 1:11] + probs[:, 11:21]], 1)


def best_path(merged: np.ndarray):
    """Digits of the most probable path, each with its best step."""
    digits, steps, before = [], [], 0
    for t, k in enumerate(merged.argmax(1)):
        if k and k != before:
            digits.append(int(k) - 1)
            steps.append(t)
        elif k and merged[t, k] > merged[steps[-1], k]:
            steps[-1] = t
        before = k
    return digits, steps


def with_blanks(digits) -> list[int]:
    """Merged classes of a reading, with a blank before, between and after the digits."""
    labels = [0]
    for d in digits:
        labels += [d + 1, 0]
    return labels


def log_likelihood(log_merged: np.ndarray, digits) -> float:
    """log P(digits | strip) of at least one digit, summed over every alignment (CTC forward pass)."""
    labels = with_blanks(digits)
    n = len(labels)
    a = [NEVER] * n
    a[0], a[1] = log_merged[0, 0], log_merged[0, labels[1]]
    for t in range(1, len(log_merged)):
        b = [NEVER] * n
        for s in range(n):
            m = a[s]
            x = a[s - 1] if s > 0 else NEVER
            y = a[s - 2] if s > 1 and labels[s] and labels[s] != labels[s - 2] else NEVER
            top = max(m, x, y)
            if top > NEVER / 2:
                total = math.exp(m - top) + math.exp(x - top) + math.exp(y - top)
                b[s] = top + math.log(total) + log_merged[t, labels[s]]
        a = b
    top = max(a[-1], a[-2])
    return top + math.log(math.exp(a[-1] - top) + math.exp(a[-2] - top))


def align(log_merged: np.ndarray, digits):
    """Most probable alignment: for each digit its steps (first, last)."""
    labels = with_blanks(digits)
    n, T = len(labels), len(log_merged)
    score = np.full((T, n), NEVER)
    back = np.zeros((T, n), int)
    score[0, :2] = log_merged[0, 0], log_merged[0, labels[1]]
    for t in range(1, T):
        for s in range(n):
            options = [(score[t - 1, s], s)]
            if s > 0:
                options.append((score[t - 1, s - 1], s - 1))
            if s > 1 and labels[s] and labels[s] != labels[s - 2]:
                options.append((score[t - 1, s - 2], s - 2))
            best, from_ = max(options)
            score[t, s], back[t, s] = best + log_merged[t, labels[s]], from_
    s = n - 1 if score[T - 1, n - 1] >= score[T - 1, n - 2] else n - 2
    spans = [None] * len(digits)
    for t in range(T - 1, -1, -1):
        if s % 2:
            i = s // 2
            spans[i] = (t, t if spans[i] is None else spans[i][1])
        s = back[t, s]
    return spans
