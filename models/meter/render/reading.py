"""A reading and how far each wheel has turned: the carry of a real counter, with play."""

from augment import rng


def random_wheels(n: int):
    """Positions of n wheels in [0, 10), the label, and the other reading where wheels stand between two numbers.

    A wheel turns while the wheel to its right goes from 9 to 0, by the same part of a step.
    """
    digits = [0 if rng.random() < 0.25 else rng.randrange(10) for _ in range(n)]
    if rng.random() < 0.12:  # long carries are rare in nature and hard to read
        for i in range(rng.randrange(1, n), n):
            digits[i] = 9
    part = rng.choice([0, 0, rng.random(), rng.random(), rng.random() * 0.4])
    parts, rolling = [0.0] * n, part
    for i in range(n - 1, -1, -1):
        parts[i] = rolling
        rolling = rolling if digits[i] == 9 else 0.0
    play = rng.uniform(0, 0.07)
    positions = [(d + f + rng.gauss(0, play)) % 10 for d, f in zip(digits, parts)]
    low = "".join(map(str, digits))
    high = str((int(low) + 1) % 10**n).zfill(n)
    if part >= 0.72:
        return positions, high, []
    return positions, low, [high] if part > 0.35 else []
