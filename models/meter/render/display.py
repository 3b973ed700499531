"""Seven-segment displays: liquid crystal with ghost segments, or lit, with what else stands on the glass."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from augment import rng
from render.fonts import loaded, text
from render.wheels import Counter, grey

UNITS = ["m³", "kWh", "KWH", "kW h", "m3", "kW", "Hz", "kWh T1", "T1", "T2", "gal", "GJ"]
SMALL = ["R1", "T1", "RUN", "01", "CUM", "1.8.0", "15.8.0", "180", "BAT", "88", "L1 L2 L3", "L1", "kWh", "Total", "MWh", "Imp"]
BEFORE = ["t", "t", "1", "2", "A", "L", "E"]  # a tariff or a code, in segments too
LIGHTS = [(30, 225, 45), (255, 150, 30), (70, 130, 255), (205, 220, 245), (235, 245, 120)]  # behind the crystal


def glass():
    """Colours of the glass and of the segments on it."""
    kind = rng.random()
    if kind < 0.2:  # lit segments
        return grey(5, 35), np.float32(rng.choice([[255, 50, 30], [240, 60, 60], [80, 255, 110], [235, 240, 255]]))
    if kind < 0.4:
        paper = np.float32(rng.choice(LIGHTS)) * rng.uniform(0.5, 1)
    else:
        tint = np.float32([rng.uniform(-25, 10), rng.uniform(-5, 25), rng.uniform(-40, 15)])
        paper = np.clip(rng.uniform(45, 215) + tint, 15, 255).astype(np.float32)
    return paper, paper * rng.uniform(0.05, 0.7)


def draw_display(width: int, fonts, segment_fonts, digits_decimals=None) -> Counter:
    from render.face import paste

    n, decimals = digits_decimals or (rng.choice([5, 5, 6, 6, 7, 7, 8, 8, 9]), rng.choice([0, 1, 1, 1, 2, 3, 3]))
    lead = rng.choice([0, 0, 1, 2, 3])
    digits = "0" * min(lead, n - decimals - 1)
    digits += "".join(str(rng.randrange(10)) for _ in range(n - len(digits)))
    words = digits[: n - decimals] + ("." + digits[n - decimals :] if decimals else "")
    path = rng.choice(segment_fonts)
    size = 64
    font = loaded(path, size)
    b = font.getbbox(words)
    layer = Image.new("L", (b[2] - b[0], b[3] - b[1]), 0)
    ghost = Image.new("L", layer.size, 0)
    ImageDraw.Draw(layer).text((-b[0], -b[1]), words, font=font, fill=255)
    ImageDraw.Draw(ghost).text((-b[0], -b[1]), "".join("8" if c != "." else "." for c in words), font=font, fill=255)
    height = int(width * layer.height / layer.width * rng.uniform(0.8, 1.5))
    layer, ghost = (
        cv2.resize(np.asarray(v), (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
        for v in (layer, ghost)
    )
    paper, ink = glass()

    def margin():
        return int(height * (rng.uniform(0.8, 2.2) if rng.random() < 0.3 else rng.uniform(0.08, 0.8)))

    left, right = margin(), margin()
    above, below = (int(height * rng.uniform(0.08, 0.8)) for _ in range(2))
    canvas = np.empty((height + above + below, width + left + right, 3), np.float32)
    canvas[:] = paper
    inner = canvas[above : above + height, left : left + width]
    faint = rng.choice([0, 0, rng.uniform(0.02, 0.2)])
    inner[:] = inner * (1 - ghost * faint) + ink * ghost * faint
    if rng.random() < 0.4:  # shadow of the digits on the back plate
        shift = rng.choice([1, 2, 3])
        inner[shift:, shift:] = inner[shift:, shift:] * (1 - 0.25 * layer[:-shift, :-shift])
    inner[:] = inner * (1 - layer) + ink * layer

    def write(words, high, x, y, font=None):
        alpha = text(font or rng.choice(fonts), max(6, int(height * high)), words)
        paste(canvas, alpha, x(alpha.shape[1]), y, ink)

    gap = height * rng.uniform(0.15, 0.6)
    middle = above + height / 2
    if rng.random() < 0.3 and left > height * 0.5:
        segments = path if rng.random() < 0.7 else None
        high = rng.uniform(0.45, 1)
        write(rng.choice(BEFORE), high, lambda w: left - gap - w / 2, middle + height * (1 - high) / 2, segments)
    if rng.random() < 0.65:
        y = above + height * rng.uniform(0.15, 0.9)
        write(rng.choice(UNITS), rng.uniform(0.2, 0.6), lambda w: left + width + gap + w / 2, y)
    for _ in range(rng.choice([0, 1, 2, 3])):
        x = rng.uniform(0, canvas.shape[1])
        y = rng.choice([above * 0.4, above + height + below * 0.6])
        write(rng.choice(SMALL), rng.uniform(0.15, 0.35), lambda w, x=x: x, y)
    image = np.clip(canvas, 0, 255).astype(np.uint8)
    edge = (0, 0), (image.shape[1] - 1, image.shape[0] - 1)
    cv2.rectangle(image, *edge, (grey(10, 90) if rng.random() < 0.7 else grey(120, 230)).tolist(), rng.choice([1, 2, 4, 7]))
    at = [font.getlength(words[:i]) + font.getlength(c) / 2 - b[0] for i, c in enumerate(words) if c != "."]
    centres = [left + x / (b[2] - b[0]) * width for x in at]
    return Counter(image, (left, above, width, height), digits, decimals, [], centres)
