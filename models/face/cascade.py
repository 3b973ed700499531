"""Which passes pay, where they look and how they are merged. The service implements the same rule.

The first pass sees the whole picture at a bounded size. Where it finds large faces, or nothing sure, a glance at
a small copy looks for large faces alone: a tenth of the cost, and the size at which the network knows them best.
Where the first pass finds small faces, or hints of them, the second pass looks again at the rectangle around them,
enlarged as far as a budget of pixels allows. All sides are the square root of a box's area.
"""

import math
from dataclasses import dataclass

import numpy as np

from metrics import iou_matrix


@dataclass(frozen=True)
class CascadeRule:
    first_side: int = 640  # longest side of the first pass; never enlarged
    weak_score: float = 0.1  # a first-pass detection of this score may be a face (calibrated scores)
    sure_score: float = 0.5  # a first pass with nothing of this score asks for a glance
    large_side: float = 96  # pixels in the first pass: faces that a glance serves
    glance_scale: float = 0.3  # scale of the glance over that of the first pass
    small_side: float = 40  # pixels in the first pass: faces that a second look serves
    margin: float = 32  # pixels in the first pass around the small faces
    budget: int = 750_000  # pixels of the second pass
    max_zoom: float = 1.5  # of the picture's own pixels
    min_gain: float = 1.25  # second scale over first; less does not pay
    keep_side: float = 48  # pixels in the first pass: from here on the first pass is trusted inside the region
    same_face: float = 0.45  # overlap of boxes

    def first_scale(self, width, height):
        return min(1.0, self.first_side / max(width, height))

    def glance_pays(self, first, scale):
        large = (first.scores >= self.weak_score) & (first.sides() * scale >= self.large_side)
        return bool(large.any() or not (first.scores >= self.sure_score).any())

    def add_glance(self, first, glance, scale):
        """The first pass with the glance's large faces."""
        return first.joined(glance.pick(glance.sides() * scale >= self.large_side)).suppressed()

    def region(self, first, width, height, scale):
        """((left, top, right, bottom) in picture pixels, scale of the second pass), or None."""
        small = (first.scores >= self.weak_score) & (first.sides() * scale < self.small_side)
        if not small.any():
            return None
        low = first.boxes[small, :2].min(0) - self.margin / scale
        high = first.boxes[small, 2:].max(0) + self.margin / scale
        left, top = (max(0, math.floor(v)) for v in low)
        right, bottom = min(width, math.ceil(high[0])), min(height, math.ceil(high[1]))
        zoom = min(self.max_zoom, math.sqrt(self.budget / ((right - left) * (bottom - top))))
        return ((left, top, right, bottom), zoom) if zoom >= self.min_gain * scale else None

    def merge(self, first, second, region, width, height, scale):
        """Inside the region small faces come from the second pass; the first has the others, and those it keeps stay."""
        left, top, right, bottom = region[0]
        low, high = np.float32([left, top]), np.float32([right, bottom])
        inside = ((first.centres() >= low) & (first.centres() < high)).all(1)
        kept = first.pick(~inside | (first.sides() * scale >= self.keep_side))
        # A face that the region cuts is seen whole by the first pass.
        cut = ((second.boxes[:, :2] <= low + 1) & (low > 0)).any(1)
        cut |= ((second.boxes[:, 2:] >= high - 1) & (high < np.float32([width, height]))).any(1)
        large = second.sides() * scale >= self.keep_side
        known = (iou_matrix(second.boxes, kept.boxes) >= self.same_face).any(1)
        return kept.joined(second.pick(~(cut & large) & ~known)).suppressed()
