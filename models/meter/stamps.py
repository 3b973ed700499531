"""Dates and times as cameras print them into pictures: lines of figures that are not a counter."""

import cv2
import numpy as np

from augment import rng
from render.face import paste
from render.fonts import SEGMENT_FONTS, TEXT_FONTS, text

WHITE = (250, 250, 250)
INKS = [(255, 150, 40), (255, 110, 20), (255, 220, 60), WHITE, WHITE, (240, 60, 40), (120, 255, 120), (10, 10, 10)]


def words() -> str:
    year, month, day = rng.choice([rng.randint(1995, 2026), rng.randint(0, 99)]), rng.randint(1, 12), rng.randint(1, 31)
    parts = [f"{year:02d}", f"{month:02d}", f"{day:02d}"]
    date = rng.choice(["/", "-", ".", " ", ":"]).join(parts if rng.random() < 0.5 else parts[::-1])
    time = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}"
    time += f":{rng.randrange(60):02d}" if rng.random() < 0.4 else ""
    return rng.choice([date, date, f"{date} {time}", f"{date}  {time}", time, f"{time} {date}"])


def stamped(image: np.ndarray):
    """A copy with a stamp near an edge, and the quad around it."""
    h, w = image.shape[:2]
    line = words()
    # Seven-segment fonts have no slash, and no dot with a width of its own.
    segment = SEGMENT_FONTS if set(line) <= set("0123456789:- ") else []
    alpha = text(rng.choice(segment if segment and rng.random() < 0.6 else TEXT_FONTS), 40, line)
    height = max(6, h * rng.uniform(0.025, 0.075))
    width = min(alpha.shape[1] * height / alpha.shape[0], w * 0.8)
    alpha = cv2.resize(alpha, (max(8, round(width)), max(5, round(height))), interpolation=cv2.INTER_AREA)
    ah, aw = alpha.shape
    x = w * rng.uniform(0.02, 0.08) + aw / 2 if rng.random() < 0.35 else w * (1 - rng.uniform(0.02, 0.08)) - aw / 2
    y = h * (rng.uniform(0.03, 0.1) if rng.random() < 0.2 else 1 - rng.uniform(0.03, 0.12))
    out = image.astype(np.float32)
    if rng.random() < 0.15:  # a bar behind it
        a, b = max(0, int(y - ah * 0.8)), max(0, int(x - aw * 0.55))
        out[a : int(y + ah * 0.8), b : int(x + aw * 0.55)] *= rng.uniform(0, 0.4)
    ink = np.float32(rng.choice(INKS))
    if rng.random() < 0.4:  # an outline, or the glow of the ink
        grown = cv2.GaussianBlur(cv2.dilate(np.pad(alpha, 4), np.ones((3, 3), np.uint8)), (0, 0), 1)
        paste(out, grown, x, y, ink * 0.4 if rng.random() < 0.5 else np.float32([0, 0, 0]))
    paste(out, alpha, x, y, ink)
    u, v = np.float32([aw * 0.52, 0]), np.float32([0, ah * 0.65])
    c = np.float32([x, y])
    return np.clip(out, 0, 255).astype(np.uint8), np.float32([c - u - v, c + u - v, c + u + v, c - u + v])
