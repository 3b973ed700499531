"""What is done to the verifier's crops beside what cameras do: edges of pictures, shade, and masks to mix faces by."""

from dataclasses import dataclass

import cv2
import numpy as np

from square_crop import COUNT

MOST_CUT = 0.45  # of a box, lost beyond an edge


@dataclass(frozen=True)
class Edge:
    """An edge that the picture could have had: `axis` 0 is x; `keeps` 1 for what is above `at`, -1 for what is below."""

    axis: int
    at: float
    keeps: int

    def cut(self, box):
        box = np.array(box, np.float64)
        side = self.axis if self.keeps > 0 else self.axis + 2
        box[side] = max(box[side], self.at) if self.keeps > 0 else min(box[side], self.at)
        return box

    def beyond(self, matrix):
        """[128,128]: the samples of a crop that lie outside."""
        columns, rows = np.arange(COUNT), np.arange(COUNT)[:, None]
        place = matrix[self.axis, 0] * columns + matrix[self.axis, 1] * rows + matrix[self.axis, 2]
        return (place + 0.5 - self.at) * self.keeps < 0


def edge_through(box, rng):
    axis, keeps = rng.randrange(2), rng.choice((-1, 1))
    low, high = box[axis], box[axis + 2]
    lost = rng.uniform(0, MOST_CUT) * (high - low)
    return Edge(axis, low + lost if keeps > 0 else high - lost, keeps)


def shaded(samples, rng):
    """Dark above a line through the middle of the crop."""
    line, softness = rng.uniform(0.35, 0.6) * COUNT, rng.uniform(1, 8)
    light = 1 / (1 + np.exp((line - np.arange(COUNT, dtype=np.float32)) / softness))
    return (samples * (light + (1 - light) * rng.uniform(0.1, 0.6))[:, None, None]).astype(np.uint8)


def face_mask(points):
    """[128,128,1]: 1 on the face, falling off around it."""
    centre = points.mean(0)
    spread = np.linalg.norm(points - centre, axis=1).mean()
    mask = np.zeros((COUNT, COUNT), np.float32)
    axes = int(spread * 1.6), int(spread * 2.1)
    cv2.ellipse(mask, tuple(int(v) for v in centre), axes, 0, 0, 360, 1.0, -1)
    return cv2.GaussianBlur(mask, (0, 0), max(1.0, spread * 0.25))[..., None]
