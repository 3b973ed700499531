"""What the numbers of the cascade rule cost and bring, on the held-out slice of the training pictures.

    python tune_cascade.py MODEL.onnx small_side=24,32 second_pixels=750000,1250000

The slice is stored at 640 pixels where the real pictures have 1024, so the first look is made at 400 and budgets are
scaled by the same 1.6 squared: the faces then have the sizes in pixels that the rule will meet.
"""

import argparse
import itertools
from dataclasses import replace

import cv2

import dataset
import metrics
from detector import SERVED_RULE, Detector, detect
from heldout import held_out_rows

STORED_SIDE, REAL_SIDE = 640, 1024
RATIO = REAL_SIDE / STORED_SIDE


class CountingDetector(Detector):
    """Counts looks and pixels, and remembers answers: most rules look at the same crops."""

    def __init__(self, path):
        super().__init__(path)
        self.answers, self.looks, self.pixels = {}, 0, 0

    def __call__(self, image, min_score):
        self.looks += 1
        self.pixels += image.shape[0] * image.shape[1]
        key = (image.shape, hash(image.tobytes()))
        if key not in self.answers:
            self.answers[key] = super().__call__(image, min_score)
        return self.answers[key]


def measure(detector, rows, rule):
    rule = replace(rule, overview_side=int(rule.overview_side / RATIO), second_pixels=rule.second_pixels / RATIO**2)
    detector.looks = detector.pixels = 0
    found = [detect(detector, row["picture"], rule) for row in rows]
    ap = metrics.average_precision(*metrics.match_all(rows, [(d.boxes, d.scores) for d in found]))
    looks = detector.looks / len(found)
    real = detector.pixels / len(found) * RATIO**2 / 1e6
    return f"AP {100 * ap:.2f}  {real:.2f} Mpx a picture  {looks:.2f} looks"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a file of the contract")
    parser.add_argument("numbers", nargs="*", metavar="NAME=VALUES", help="of CascadeRule, by commas; others as served")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    rows, detector = held_out_rows(dataset.training_data()), CountingDetector(args.model)
    numbers = dict(text.split("=") for text in args.numbers)
    for values in itertools.product(*(map(float, listed.split(",")) for listed in numbers.values())):
        changed = dict(zip(numbers, values))
        print(changed, measure(detector, rows, replace(SERVED_RULE, **changed)), flush=True)


if __name__ == "__main__":
    main()
