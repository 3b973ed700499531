"""What the cascade proposes on the held-out slice, and how well a verifier judges it."""

import math

import numpy as np

import dataset
import logistic
import metrics
from detector import LEAST_SIDE, SURE_SCORE, Detector, detect
from square_crop import crops
from verifier import logits

FOLDS = 4
FALSE_PICTURES = 4  # of the face-free ones: recall is compared where so many have a false face


class HeldOutProposals:
    """All proposals, their crops, and which of them lie on a face."""

    def __init__(self, shared, detector_file):
        train = shared / "face" / "train"
        rows = dataset.annotations(train, held_out=True) + dataset.faceless(train, held_out=True)
        # Forty face-free pictures say little about rare false faces; meter photos that no training saw say more.
        rows += dataset.meters(shared / "meter" / "train", held_out=True)
        self.rows = [dataset.read_row(row) for row in rows]
        detector = Detector(detector_file)
        self.found = [detect(detector, row["picture"]) for row in self.rows]
        self.crops = [crops(row["picture"], f.boxes) for row, f in zip(self.rows, self.found)]
        self.hits, self.counts = zip(*(self._judge(row, f.boxes) for row, f in zip(self.rows, self.found)))
        self.odds = [logistic.log_odds(f.scores) for f in self.found]
        # The pictures are seen at their own size, and what is enlarged for a second pass is not seen better.
        self.doubtful = [(f.scores < SURE_SCORE) & (f.sides() >= LEAST_SIDE) for f in self.found]

    @staticmethod
    def _judge(row, boxes):
        """(on a face, counts at all) of every box."""
        if not row["faces"] or not len(boxes):
            return np.zeros(len(boxes)), np.ones(len(boxes), bool)
        overlaps = metrics.iou_matrix(boxes, np.float32([f["box"] for f in row["faces"]]))
        hit = overlaps.max(1) >= metrics.MATCH_IOU
        ignored = np.array([f["ignore"] for f in row["faces"]], bool)[overlaps.argmax(1)]
        return hit * 1.0, ~(hit & ignored)

    def fit(self, network_logits, wanted=lambda index: True):
        """(verifier, detector, offset): how the two logits are weighed, fitted on the pictures that are wanted."""
        indices = [i for i in range(len(self.rows)) if wanted(i)]
        used = self.counts  # sure and tiny ones too: fitted on the doubtful alone it is half a point worse
        columns = lambda i: np.stack([network_logits[i], self.odds[i], np.ones_like(self.odds[i])], 1)[used[i]]
        features = np.concatenate([columns(i) for i in indices])
        return logistic.fit(features, np.concatenate([self.hits[i][used[i]] for i in indices]))

    def measure(self, network):
        """Figures of the detector's order, and of both weighed by a regression that never saw the picture."""
        mine = [logits(network, pixels) for pixels in self.crops]
        both = [None] * len(self.rows)
        for fold in range(FOLDS):
            a, b, c = self.fit(mine, lambda i: i % FOLDS != fold)
            for i in range(fold, len(self.rows), FOLDS):
                both[i] = np.where(self.doubtful[i], a * mine[i] + b * self.odds[i] + c, self.odds[i])
        return {"detector": self.summary(self.odds), "both": self.summary(both)}

    def summary(self, scores):
        found = [(f.boxes, s) for f, s in zip(self.found, scores)]
        side = lambda face: math.sqrt(metrics.area(np.float32(face["box"])))
        band = lambda low, high: round(100 * metrics.subset_ap(self.rows, found, lambda f: low <= side(f) < high), 1)
        best = np.sort([max(s, default=-99) for row, s in zip(self.rows, scores) if not row["faces"]])
        large = [
            {**row, "faces": [{**f, "ignore": f["ignore"] or side(f) < 32} for f in row["faces"]]} for row in self.rows
        ]
        recall = metrics.precision_recall(large, found, best[-FALSE_PICTURES - 1] + 1e-6)[1]
        return {
            "ap": band(0, 1e9),
            "ap16": band(16, 32),
            "ap32": band(32, 1e9),
            f"recall32 at {FALSE_PICTURES} false": round(100 * recall, 1),
        }
