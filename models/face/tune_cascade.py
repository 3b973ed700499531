"""What the numbers of the cascade rule cost and bring, on the held-out slice of the training pictures.

    python tune_cascade.py MODEL.onnx --weak 0.2,0.3 --small 24,40 --budget 0.5,0.75,1.0 --zoom 1,1.5

The slice is stored at 640 pixels where the real pictures have 1024, so the first look is made at 400 and budgets are
scaled by the same 1.6 squared: the faces then have the sizes in pixels that the rule will meet.
"""

import argparse
import itertools
from dataclasses import replace

import cv2
import numpy as np

import dataset
import metrics
from detector import SERVED_RULE, AdaptedYunet, Detector, detect
from heldout import HeldOut

STORED_SIDE, REAL_SIDE = 640, 1024
RATIO = REAL_SIDE / STORED_SIDE


class CountingDetector:
    """Counts pixels, and remembers answers: most rules look at the same crops."""

    def __init__(self, detector):
        self.detector, self.answers, self.pixels = detector, {}, 0

    def __call__(self, image, min_score):
        self.pixels += image.shape[0] * image.shape[1]
        key = (image.shape, hash(image.tobytes()))
        if key not in self.answers:
            self.answers[key] = self.detector(image, min_score)
        return self.answers[key]


def numbers(text):
    return tuple(float(part) for part in text.split(","))


def measure(detector, held_out, step, rule, more):
    pictures, rows = held_out.pictures[::step], held_out.rows[::step]
    detector.pixels = 0
    found = [detect(detector, picture, rule, more, min_score=0.06) for picture in pictures]
    ap = metrics.subset_ap(rows, [(d.boxes, d.scores) for d in found], lambda face: True)
    looks = np.mean([d.looks for d in found])
    faceless = sum(d.looks - 1 for d, row in zip(found, rows) if not row["faces"])
    real = detector.pixels / len(pictures) * RATIO**2 / 1e6
    return f"AP {100 * ap:.2f}  {real:.2f} Mpx a picture  {looks:.2f} looks (further ones: {faceless} on face-free)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a file of the contract, or 'teacher'")
    parser.add_argument("--weak", type=numbers, default=(0.2, 0.3, 0.4))
    parser.add_argument("--small", type=numbers, default=(24, 40))
    parser.add_argument("--budget", type=numbers, default=(0.5, 0.75, 1.0), help="millions of pixels")
    parser.add_argument("--zoom", type=numbers, default=(1, 1.5))
    parser.add_argument("--step", type=int, default=1, help="every n-th picture only")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    shared = dataset.training_data()
    teacher = args.model == "teacher"
    path = dataset.teacher_file(shared) if teacher else args.model
    detector = CountingDetector(AdaptedYunet(path) if teacher else Detector(path))
    held_out = HeldOut(shared)
    base = replace(SERVED_RULE, overview_side=int(SERVED_RULE.overview_side / RATIO))
    print("one look only:", measure(detector, held_out, args.step, base, more=False), flush=True)
    for weak, small, budget, zoom in itertools.product(args.weak, args.small, args.budget, args.zoom):
        rule = replace(base, weak_score=weak, small_side=small, second_pixels=budget * 1e6 / RATIO**2, max_zoom=zoom)
        result = measure(detector, held_out, args.step, rule, more=True)
        print(f"weak {weak} small {small:.0f} budget {budget} zoom {zoom}: {result}", flush=True)


if __name__ == "__main__":
    main()
