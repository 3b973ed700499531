"""Prints figures and units in line with a counter: they are not wheels."""

import cv2
import numpy as np

from augment import rng
from geometry import rectangle
from render.fonts import TEXT_FONTS, text

RIGHT = ["0", "0", "0", "0", "00", "kWh", "m3", "m³", "x10", "gal"]
LEFT = ["No", "0", "1995", "20", "SN", "kWh"]


def print_beside(image: np.ndarray, quad: np.ndarray, wheels: int) -> np.ndarray:
    """`quad` is the counter in the picture, in reading order. The print contrasts with the plate there."""
    right = rng.random() < 0.8
    words = rng.choice(RIGHT if right else LEFT)
    alpha = text(rng.choice(TEXT_FONTS), 48, words)
    top, bottom = (quad[1] - quad[0]) / wheels, (quad[2] - quad[3]) / wheels
    label = rng.random() < 0.35  # a sign of another colour that begins where the last wheel ends
    gap, inset = rng.uniform(0.02, 0.3) if label else rng.uniform(0.12, 0.5), rng.uniform(0.05, 0.25)
    wide = rng.uniform(0.5, 0.75) * min(len(words), 2.5)
    near, far = (gap, gap + wide) if right else (-gap, -gap - wide)
    upper, lower = (quad[1], quad[2]) if right else (quad[0], quad[3])

    def at(along, down):
        return (upper + top * along) * (1 - down) + (lower + bottom * along) * down

    def box(a, b, inset):
        return np.float32([at(a, inset), at(b, inset), at(b, 1 - inset), at(a, 1 - inset)])

    a, b = min(near, far), max(near, far)
    if label:
        m = gap * rng.uniform(0.3, 1)
        paint = np.full(3, rng.choice([rng.uniform(5, 50), rng.uniform(170, 250)]))
        image = cv2.fillPoly(image.copy(), [np.int32(box(a - m, b + m, rng.uniform(-0.1, 0.1)))], paint.tolist())
    cell = box(a, b, inset)
    h, w = alpha.shape
    M = cv2.getPerspectiveTransform(rectangle(0, 0, w, h), cell)
    # The print's own rectangle alone: a quarter of the reader's samples would otherwise wait for it.
    x0, y0 = np.maximum(np.floor(cell.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(cell.max(0)).astype(int) + 2, image.shape[1::-1])
    if x1 <= x0 or y1 <= y0:
        return image
    shift = np.float32([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]])
    part = cv2.warpPerspective(alpha, shift @ M, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_AREA)
    part = part.astype(np.float32)[..., None] / 255
    there = image[y0:y1, x0:x1]
    covered = part[..., 0] > 0.05
    if not covered.any():
        return image
    plate = there[covered].mean(0)
    ink = plate * rng.uniform(0.1, 0.45) if plate.mean() > 95 else plate + (255 - plate) * rng.uniform(0.5, 0.9)
    image = image.copy()
    image[y0:y1, x0:x1] = (there * (1 - part) + ink * part).astype(np.uint8)
    return image
