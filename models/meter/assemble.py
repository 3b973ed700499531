"""From strips to a reading: fuse crops, count the fraction wheels, weigh the hypotheses. Pure functions."""

import math
from dataclasses import dataclass, field

import numpy as np

from decode import align, best_path, log_likelihood, merge_colours

TINY = 1e-6
OFF = 0.35  # of the pitch: a wheel this far from its place is not one of an even row


def logit(p: float) -> float:
    p = min(max(p, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def calibrated(x: float) -> float:
    """A probability fitted on a few hundred photos, so that more than 0.9995 cannot be claimed."""
    return min(sigmoid(x), 0.9995)


@dataclass
class Hypothesis:
    """One counter read one way round: its strips' probabilities and what the networks say of it."""

    quad: np.ndarray  # reading order, picture pixels
    probs: list  # (T, 21) of each crop
    legible: list
    counter: float
    agrees: float  # probability by the refiner that this is the right way round
    locate: float
    readings: dict = field(default_factory=dict)  # digits -> probability
    mirrored: dict = field(default_factory=dict)  # the same of the first crop mirrored, where that was read


def proposals(merged: np.ndarray, floor: float):
    """Readings worth scoring: the best path, its likely single substitutions, and one step up or down (carries)."""
    digits, steps = best_path(merged)
    if not digits:
        return set()
    found = {tuple(digits)}
    others = []
    for i, t in enumerate(steps):
        near = merged[max(0, t - 1) : t + 2, 1:].max(0).copy()
        near[digits[i]] = 0
        d = int(near.argmax())
        if near[d] >= floor:
            others.append((float(near[d]), i, d))
    for _, i, d in sorted(others, key=lambda other: -other[0])[:3]:
        found.add(tuple(digits[:i] + [d] + digits[i + 1 :]))
    n, value = len(digits), int("".join(map(str, digits)))
    for v in (value - 1, value + 1):
        if 0 <= v < 10**n:
            found.add(tuple(int(c) for c in str(v).zfill(n)))
    return found


def readings_of(crops, rules) -> dict:
    """The readings of crops of one counter; P(reading) is the mean over them of its CTC probability."""
    merged = [merge_colours(p) for p in crops]
    logs = [np.log(m + TINY) for m in merged]
    found = set().union(*(proposals(m, rules["substitutionFloor"]) for m in merged))
    return {
        "".join(map(str, d)): float(np.mean([math.exp(log_likelihood(g, d)) for g in logs]))
        for d in found
        if len(d) >= rules["minDigits"]
    }


def weigh(h: Hypothesis, rules) -> float:
    """Log score by which hypotheses are compared."""
    w = rules["weights"]
    best = max(h.readings.values(), default=0.0)
    u = h.quad[1] - h.quad[0] + h.quad[2] - h.quad[3]
    upright = sigmoid(rules["uprightSteepness"] * float(u[0]) / (float(np.hypot(u[0], u[1])) + TINY))
    terms = {
        "read": best,
        "legible": float(np.mean(h.legible)),
        "counter": h.counter,
        "turn": h.agrees,
        "locate": h.locate,
        "upright": upright,
    }
    return sum(w[k] * math.log(max(v, 1e-4)) for k, v in terms.items())


def wheels(h: Hypothesis, digits: str):
    """For each wheel: probability and redness (means over the crops), and centre along the first strip (0..1)."""
    labels = [int(c) for c in digits]
    rows = []
    for p in h.probs:
        merged = merge_colours(p)
        spans = align(np.log(merged + TINY), labels)
        crop = []
        for d, (a, b) in zip(labels, spans):
            t = a + int(merged[a : b + 1, d + 1].argmax())
            mass = p[a : b + 1, d + 1].sum() + p[a : b + 1, d + 11].sum()
            crop.append((merged[t, d + 1], p[a : b + 1, d + 11].sum() / (mass + TINY), ((a + b) / 2 + 0.5) / len(p)))
        rows.append(crop)
    rows = np.array(rows)
    return rows[..., 0].mean(0), rows[..., 1].mean(0), rows[0, :, 2]


def usual_lengths(red: np.ndarray, rules):
    """P(length of the fraction) by the reader's colours and by what is usual for this number of wheels."""
    prior = rules["fractionPrior"].get(str(len(red)), rules["fractionPrior"]["other"])
    lengths = lengths_by_colour(red)
    weights = lengths * [prior[k] if k < len(prior) else 0.01 for k in range(len(lengths))]
    return weights / weights.sum()


def lengths_by_colour(red: np.ndarray):
    """P(length of the fraction) by the reader's colours alone, in which it has also learned which place is red."""
    n = len(red)
    shares = [np.where(np.arange(n) >= n - k, red, 1 - red) for k in range(n - 1)]
    weights = np.maximum(shares, 1e-3).prod(1)
    return weights / weights.sum()


def fraction_lengths(red: np.ndarray, rules, marks=None):
    """P(0, 1, 2, … wheels after the point). What is usual counts only as far as the marks tell nothing."""
    usual = usual_lengths(red, rules)
    if marks is None:
        return usual
    seen = np.zeros_like(usual)
    told = marks["fraction"][:-1][: len(usual)]
    seen[: len(told)] = told
    p = seen + rules["usualTrust"] * marks["fraction"][-1] * usual
    spread = (1 - p.sum()) / len(p)  # what is left is as likely for one length as for another
    return p + max(0.0, spread)


def count_sure(marks, centres, rules):
    """P(no wheel was invented and none left out), by the marks and by the distances between the wheels."""
    if marks is None:
        return 1.0
    x = along(centres, rules)
    gaps = sorted(b - a for a, b in zip(x, x[1:]))
    even = gaps[-1] < rules["maxGap"] * gaps[len(gaps) // 2]
    doubted = min(1.0, 2 * float(marks["wheel"].min()))  # what is more likely a wheel than not is one
    return doubted * (1.0 if even else 0.5)


def seen_alone(marks, digits):
    """P(the first wheels show these digits), each wheel looked at alone."""
    return math.prod(float(p[int(d)]) for p, d in zip(marks["digit"], digits))


def likeliest(hypotheses, rules):
    """Those with a reading, the best first, and the digits of the best."""
    ranked = sorted((h for h in hypotheses if h.readings), key=lambda h: -weigh(h, rules))
    return ranked, max(ranked[0].readings, key=ranked[0].readings.get) if ranked else None


def cells_of(hypotheses, rules):
    """Quads of the wheels of the likeliest reading, or None."""
    ranked, digits = likeliest(hypotheses, rules)
    if not ranked:
        return None
    _, _, centres = wheels(ranked[0], digits)
    return wheel_quads(ranked[0].quad, centres, rules)


def step_at_most(a, b):
    """Whether two are the same number or one beside it."""
    return abs(int(a) - int(b)) <= 1


def beside(a, b):
    """Whether each wheel shows the same number in both readings, or the one before or after it."""
    return all((int(x) - int(y)) % 10 in (0, 1, 9) for x, y in zip(a, b))


def point_of(red, rules, marks):
    """Length of the fraction, how sure it is and, where no point is set, how sure that there is none; and the most that
    may be claimed of either."""
    lengths = fraction_lengths(red, rules, marks)
    length = int(np.argmax(lengths))
    # A hair or a pen stroke looks like a mark: the colours of the wheels must not contradict it.
    contradicted = lengths_by_colour(red)[length] < rules["leastByColour"]
    # More is rarely a meter's: light, paint or a frame reddened the wheel before the fraction.
    rare = length > rules["mostDecimals"]
    most = rules["fractionLikely"] if contradicted or rare else 1.0
    sure = min(float(lengths[length]), most)
    pointed = sure >= rules["fractionLikely"]
    # Where no point is set, the value is right only if there is no fraction.
    return length, pointed, sure, float(lengths[length if pointed else 0]), most


def assemble(hypotheses, rules, marks=None):
    """The answer, or None where nothing readable is there."""
    ranked, digits = likeliest(hypotheses, rules)
    if not ranked:
        return None
    h = ranked[0]
    readings = {s: p for s, p in h.readings.items() if len(s) == len(digits)}
    if marks:
        digits = max(readings, key=lambda s: readings[s] * (seen_alone(marks, s) + TINY) ** rules["aloneWeight"])
    sure, red, centres = wheels(h, digits)
    length, pointed, fraction_sure, length_p, most = point_of(red, rules, marks)
    cut = len(digits) - (length if pointed else 0)
    # A wheel between two numbers splits the probability between readings one step apart; either is right.
    integer_p = sum(p for s, p in readings.items() if s[:cut] == digits[:cut])
    legible = float(np.mean(h.legible))
    features = {
        "read": logit(integer_p),
        "legible": logit(legible),
        "locate": logit(h.locate),
        "margin": min(weigh(h, rules) - weigh(ranked[1], rules), 5.0) if len(ranked) > 1 else 5.0,
        "wheels": logit(seen_alone(marks, digits[:cut]) if marks else integer_p),
    }
    c = rules["calibration"]
    in_networks = calibrated(c["bias"] + sum(c[k] * v for k, v in features.items()))
    # Where a wheel before the fraction is between two numbers, both have their share.
    near_p = sum(p for s, p in readings.items() if step_at_most(s[:cut], digits[:cut]))
    digits_confidence = min(in_networks, near_p / rules["fullProbability"]) * count_sure(marks, centres, rules)
    if sum(h.mirrored.values()) > sum(h.readings.values()):  # many digits look like others in a front camera's picture
        digits_confidence /= 2
    told = rules["fractionCalibration"]
    fraction_confidence = min(calibrated(told["bias"] + told["length"] * logit(length_p)), most)
    confidence = digits_confidence * fraction_confidence
    # Rounded as the service reports it, so that the status matches the confidence shown.
    ok = round(confidence, 4) >= rules["okConfidence"] and fraction_sure >= rules["fractionSure"]
    others = [s for s, p in readings.items() if p >= rules["alternativeFloor"] and s != digits and beside(s, digits)]
    return {
        "digits": digits,
        "red_digits": length,
        "pointed": pointed,
        "fraction_sure": fraction_sure,
        "length_p": length_p,
        "digits_confidence": digits_confidence,
        "fraction_confidence": fraction_confidence,
        "in_networks": in_networks,
        "confidence": confidence,
        "readable": legible >= rules["refuse"]["legible"] and in_networks >= rules["refuse"]["confidence"],
        "status": "OK" if ok and not (marks and marks["before"]) else "CHECK",
        "alternatives": sorted(others, key=readings.get, reverse=True),
        "wheels": [
            {"confidence": float(p), "red": float(r), "quad": q}
            for p, r, q in zip(sure, red, wheel_quads(h.quad, centres, rules))
        ],
        "quad": h.quad,
        "features": features,
    }


def along(centres, rules):
    """Centres on the first strip as shares of the counter's width."""
    crop = rules["crops"][0]
    grow = (1 + 2 * crop["mx"]) * crop["sx"]
    return [(c - 0.5) * grow + 0.5 for c in centres]


def evenly(x):
    """The same centres at one pitch, which steps of the strip only approximate; as they are if one is far from that."""
    slope, start = np.polyfit(np.arange(len(x)), x, 1)
    even = [float(start + slope * i) for i in range(len(x))]
    return even if max(abs(a - b) for a, b in zip(x, even)) < OFF * slope else x


def wheel_quads(quad, centres, rules):
    """Place of each wheel in the picture: centres on the first strip mapped back to the counter, one pitch wide."""
    x = evenly(along(centres, rules))
    gaps = sorted(b - a for a, b in zip(x, x[1:]))
    half = gaps[len(gaps) // 2] / 2

    def at(s, t):
        return (1 - s) * (1 - t) * quad[0] + s * (1 - t) * quad[1] + s * t * quad[2] + (1 - s) * t * quad[3]

    return [np.stack([at(v - half, 0), at(v + half, 0), at(v + half, 1), at(v - half, 1)]) for v in x]
