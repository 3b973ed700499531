"""Reference of the whole reader on the exported networks. OpenCV only decodes and shrinks the picture.

The service does the same in TypeScript; models/meter/PIPELINE.md describes each step.
"""

import json
import time
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort

from assemble import Hypothesis, assemble, cells_of, likeliest, readings_of, weigh
from geometry import axes, expand, mirrored, points_on, rectangle, size, turned, window
from picture import shrink

HERE = Path(__file__).resolve().parent


def same_counter(a, b, rules) -> bool:
    """Whether the centres are close, for counters of this width."""
    return np.linalg.norm(a.mean(0) - b.mean(0)) < rules["sameCounterDistance"] * max(size(a)[0], size(b)[0])


def is_sure(best, rules, enough) -> bool:
    """Whether the best hypothesis is read with that probability and its digits have that confidence."""
    if not best or max(best[0].readings.values()) < enough["read"]:
        return False
    answer = assemble(best, rules)
    return answer["readable"] and answer["in_networks"] >= enough["confidence"]


def likeliest_places(hypotheses, rules):
    """The best hypotheses that were read; only the first if it leads clearly."""
    best = likeliest(hypotheses, rules)[0][: rules["hypotheses"]]
    clear = len(best) > 1 and weigh(best[0], rules) - weigh(best[1], rules) > rules["clearLead"]
    return best[:1] if clear else best


def other_starts(image, candidate, rules):
    """The best candidate wider and narrower, and a picture as long as a counter as a whole: the refiner errs less often
    from all of them."""
    quad, score = candidate
    starts = [expand(quad, sx=s) for s in rules["otherStarts"]["scales"]]
    h, w = image.shape[:2]
    if w >= rules["otherStarts"]["wholeFrom"] * h:
        starts.append(rectangle(0, 0, w, h))
    return [(s, score) for s in starts]


def one_of_each(hypotheses, rules):
    """The best hypothesis of each counter in each direction."""
    kept = []
    for h in sorted(hypotheses, key=lambda h: -weigh(h, rules)):
        if not any(same_counter(h.quad, k.quad, rules) and float(axes(h.quad)[0] @ axes(k.quad)[0]) > 0 for k in kept):
            kept.append(h)
    return kept


class Reader:
    def __init__(self, folder: Path = HERE, rules=None):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1

        def load(name):
            return ort.InferenceSession(str(folder / f"meter-{name}.onnx"), options, providers=["CPUExecutionProvider"])

        names = ("locate", "refine", "read", "mark")
        self.locate_net, self.refine_net, self.read_net, self.mark_net = map(load, names)
        served = folder if (folder / "reader.json").exists() else HERE
        self.rules = rules or json.loads((served / "reader.json").read_text())
        self.seconds = 0.0  # CPU time in the networks, of the last picture

    def run(self, session, feeds):
        began = time.process_time()
        out = session.run(None, feeds)
        self.seconds += time.process_time() - began
        return out

    def locate(self, image: np.ndarray):
        """Candidate quads in picture pixels with their scores, best first, one per counter."""
        side = self.rules["locateSize"]
        h, w = image.shape[:2]
        s = side / max(h, w)
        way = cv2.INTER_AREA if s < 1 else cv2.INTER_LINEAR
        small = cv2.resize(image, (max(1, round(w * s)), max(1, round(h * s))), interpolation=way)
        boxed = np.zeros((side, side, 3), np.uint8)
        oy, ox = (side - small.shape[0]) // 2, (side - small.shape[1]) // 2
        boxed[oy : oy + small.shape[0], ox : ox + small.shape[1]] = small
        quads, scores = self.run(self.locate_net, {"image": boxed[None]})
        kept = []
        for quad, score in zip(quads, scores):
            if kept and score < max(self.rules["minLocateScore"], self.rules["relativeLocateScore"] * kept[0][1]):
                break
            if not any(same_counter(q, quad, self.rules) for q, _ in kept):
                kept.append((quad, float(score)))
            if len(kept) == self.rules["candidates"]:
                break
        offset, scale = np.float32([ox, oy]), np.float32([small.shape[1] / w, small.shape[0] / h])
        return [((quad - offset) / scale, score) for quad, score in kept]

    def read_strips(self, image, quads):
        return self.run(self.read_net, {"image": image[None], "quads": np.stack(quads).astype(np.float32)})

    def refine(self, image, quads):
        """Corners, doubt about their direction and score of each quad, by a second look around the first's corners."""
        for _ in range(2):
            windows = np.stack([window(q) for q in quads]).astype(np.float32)
            shares, doubt, counter = self.run(self.refine_net, {"image": image[None], "quads": windows})
            quads = [points_on(w, s) for w, s in zip(windows, shares)]
        return quads, doubt, counter

    def first_look(self, image, candidates):
        """Candidates refined, each in the directions that may be right, and read on the first crop."""
        rules = self.rules
        quads, doubt, counter = self.refine(image, [q for q, _ in candidates])
        found = []
        for (_, score), corners, turn, is_counter in zip(candidates, quads, doubt, counter):
            for flip in (False, True):
                quad = turned(corners) if flip else corners
                agrees = float(turn) if flip else 1 - float(turn)
                # If upright in the picture, it is read whatever the refiner says, which is sometimes wrong.
                if agrees >= rules["leastAgreement"] or axes(quad)[0][0] >= 0:
                    found.append(Hypothesis(quad, [], [], float(is_counter), agrees, score))
        probs, legible = self.read_strips(image, [expand(h.quad, **rules["crops"][0]) for h in found])
        for h, p, g in zip(found, probs, legible):
            h.probs, h.legible = [p], [float(g)]
            h.readings = readings_of(h.probs, rules)
        return found

    def shrunk(self, rgb: np.ndarray):
        """What all else looks at, in the pixels of which all quads are."""
        return np.ascontiguousarray(shrink(rgb, self.rules["maxSide"]))

    def hypotheses(self, image: np.ndarray):
        """Candidates in each direction that may be right, read on one crop; the best on all, unless that was clear."""
        self.seconds = 0.0
        rules = self.rules
        candidates = self.locate(image)
        found = self.first_look(image, candidates)
        best = likeliest_places(found, rules)
        more = [] if len(best) == 1 and is_sure(best, rules, rules["seenEnough"]) else rules["crops"][1:]
        if not is_sure(best, rules, rules["otherStarts"]["unless"]):
            found = one_of_each(found + self.first_look(image, other_starts(image, candidates[0], rules)), rules)
            best = likeliest_places(found, rules)
        if best and more:
            first, n = rules["crops"][0], len(rules["crops"])
            views = [[*(expand(h.quad, **c) for c in more), expand(mirrored(h.quad), **first)] for h in best]
            probs, legible = self.read_strips(image, sum(views, []))
            for k, h in enumerate(best):
                *rows, last = range(k * n, (k + 1) * n)
                h.probs += [probs[r] for r in rows]
                h.legible += [float(legible[r]) for r in rows]
                h.readings = readings_of(h.probs, rules)
                h.mirrored = readings_of([probs[last]], rules)
        return best

    def marks(self, image: np.ndarray, found):
        """What the mark network sees at the wheels of the likeliest reading, or None."""
        quads = cells_of(found, self.rules)
        if quads is None:
            return None
        fraction, wheel, digit = self.look(image, quads)
        before = self.wheel_before(image, quads[0])
        return {"fraction": fraction, "wheel": wheel, "digit": digit, "before": before}

    def look(self, image: np.ndarray, quads):
        cells = np.stack([expand(q, **self.rules["cell"]) for q in quads]).astype(np.float32)
        return self.run(self.mark_net, {"image": image[None], "quads": cells})

    def wheel_before(self, image: np.ndarray, first) -> bool:
        """Whether there is a wheel two places before the first one, behind one that mirrored light covers."""
        top, bottom = first[1] - first[0], first[2] - first[3]
        place = first - 2 * np.stack([top, top, bottom, bottom])
        x, y = place.mean(0)
        if not (0 < x < image.shape[1] and 0 < y < image.shape[0]):
            return False
        _, wheel, digit = self.look(image, [place, first])
        return min(wheel[0], digit[0].max()) >= self.rules["seenBefore"]

    def read(self, rgb: np.ndarray):
        """The answer, or None."""
        image = self.shrunk(rgb)
        found = self.hypotheses(image)
        return assemble(found, self.rules, self.marks(image, found))
