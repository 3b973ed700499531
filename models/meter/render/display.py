"""Seven-segment displays: liquid crystal with ghost segments, or lit, with what else stands on the glass."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from augment import rng
from render.face import paste
from render.fonts import SEGMENT_FONTS, TEXT_FONTS, loaded, text
from render.wheels import Counter, grey

UNITS = ["m³", "kWh", "KWH", "kW h", "m3", "kW", "Hz", "kWh T1", "T1", "T2", "gal", "GJ"]
SMALL = ["R1", "T1", "RUN", "01", "CUM", "1.8.0", "15.8.0", "180", "BAT", "88", "L1 L2 L3", "L1", "kWh", "MWh"]
SMALL += ["Total", "Imp"]
# A tariff or a code, in segments too.
BEFORE = ["t", "t", "t", "1", "2", "A", "L", "E", "T1", "1.8.0", "15.8.0", "180", "1-1"]
TALL = ["T1", "T1", "T2", "kW", "h", "A", "m³"]
LINES = ["12.08.21", "10-45", "230.1", "0.00", "1.8.1", "50.0", "2.8.0", "21-03-22"]  # another register, a date
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
    return paper, paper * rng.uniform(0.05, 0.75)


def segments(digits, decimals, path):
    """Lit and all segments (ghosts) as alpha pictures of one size, cut to what is lit, and the digits' centres."""
    point = rng.choice([".", ".", ".", ","]) if decimals else ""
    small = rng.uniform(0.5, 0.8) if decimals and rng.random() < 0.2 else 1
    cut = len(digits) - decimals
    parts = [(digits[:cut] + point.replace(",", "."), 64), (digits[cut:], int(64 * small))]
    space = rng.choice([0, 0, 0, rng.uniform(0, 14)])  # between the digits
    width = int(sum(loaded(path, size).getlength(words) for words, size in parts) + space * len(digits)) + 64
    lit, every = Image.new("L", (width, 140), 0), Image.new("L", (width, 140), 0)
    x, centres = 32.0, []
    for words, size in parts:
        font = loaded(path, size)
        for c in words:
            if c != ".":
                centres.append(x + font.getlength(c) / 2)
            for layer, drawn in ((lit, c), (every, c if c == "." else "8")):
                at = x - (space if c == "." else 0), 110
                ImageDraw.Draw(layer).text(at, drawn, font=font, fill=255, anchor="ls")
            x += font.getlength(c) + (space if c != "." else 0)
            if c == "." and point == ",":  # a tail below the point
                at = x - space
                ImageDraw.Draw(lit).line((at, 108, at - 7, 122), fill=255, width=5)
    x0, _, x1, _ = lit.getbbox()
    y0, y1 = every.getbbox()[1], 111
    box = (x0, y0, x1, y1)
    return *(np.asarray(layer.crop(box)) for layer in (lit, every)), [(c - x0) / (x1 - x0) for c in centres]


def draw_display(width: int, digits_decimals=None) -> Counter:
    n, decimals = digits_decimals or (rng.choice([4, 5, 5, 6, 6, 7, 7, 8, 8, 9]), rng.choice([0, 1, 1, 1, 2, 3, 3]))
    decimals = min(decimals, n - 2)
    lead = rng.choice([0, 0, 1, 2, 3])
    digits = "0" * min(lead, n - decimals - 1)
    digits += "".join(str(rng.randrange(10)) for _ in range(n - len(digits)))
    path = rng.choice(SEGMENT_FONTS)
    lit, ghost, at = segments(digits, decimals, path)
    height = int(width * lit.shape[0] / lit.shape[1] * rng.uniform(0.75, 1.6))
    layer, ghost = (
        cv2.resize(v, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
        for v in (lit, ghost)
    )
    paper, ink = glass()

    def margin():
        return int(height * (rng.uniform(0.6, 2.5) if rng.random() < 0.45 else rng.uniform(0.04, 0.8)))

    left, right = margin(), margin()
    rows = [rng.uniform(0.8, 1.5) if rng.random() < 0.2 else rng.uniform(0.03, 0.6) for _ in "ab"]
    above, below = (int(height * row) for row in rows)
    canvas = np.empty((height + above + below, width + left + right, 3), np.float32)
    canvas[:] = paper
    inner = canvas[above : above + height, left : left + width]
    faint = rng.choice([0, 0, rng.uniform(0.02, 0.25)])
    inner[:] = inner * (1 - ghost * faint) + ink * ghost * faint
    if rng.random() < 0.4:  # shadow of the digits on the back plate
        shift = rng.choice([1, 2, 3])
        inner[shift:, shift:] = inner[shift:, shift:] * (1 - 0.25 * layer[:-shift, :-shift])
    inner[:] = inner * (1 - layer) + ink * layer

    def write(words, high, x, y, font=None):
        alpha = text(font or rng.choice(TEXT_FONTS), max(6, int(height * high)), words)
        paste(canvas, alpha, x(alpha.shape[1]), y, ink)

    gap = height * rng.uniform(0.1, 0.6)
    middle = above + height / 2
    if rng.random() < 0.75 and left > height * 0.5:
        words = rng.choice(BEFORE)
        high = rng.uniform(0.55, 1) if words in "tALE" else rng.uniform(0.3, 0.7)
        y = middle + height * (1 - high) / 2 * rng.choice([1, 1, 1, -1])
        write(words, high, lambda w: left - gap - w / 2, y, path if rng.random() < 0.7 else None)
    if rng.random() < 0.75:  # a unit, often small and raised, and sometimes a tariff as tall as the digits behind it
        end, tall = left + width + gap, right > height * 0.8 and rng.random() < 0.5
        if not tall or right > height * 1.4 and rng.random() < 0.5:
            high, words = rng.uniform(0.2, 0.5), rng.choice(UNITS)
            write(words, high, lambda w: end + w / 2, above + height * rng.uniform(0.15, 0.9))
            end += height * high * len(words) * 0.6 + height * rng.uniform(0.05, 0.2)
        if tall:
            write(rng.choice(TALL), rng.uniform(0.6, 1), lambda w: end + w / 2, middle)
    for room, y in ((above, above * 0.45), (below, above + height + below * 0.55)):
        if room > height * 0.5 and rng.random() < 0.4:
            high = min(0.6, room / height * 0.7)
            write(rng.choice(LINES), high, lambda w: left + rng.uniform(0, 1) * width, y, path)
    for _ in range(rng.choice([0, 1, 2, 3])):
        x = rng.uniform(0, canvas.shape[1])
        y = rng.choice([above * 0.4, above + height + below * 0.6])
        write(rng.choice(SMALL), rng.uniform(0.15, 0.5), lambda w, x=x: x, y)
    image = np.clip(canvas, 0, 255).astype(np.uint8)
    if decimals and rng.random() < 0.06:  # a frame printed around the decimals
        x = left + int(width * (at[-decimals] + at[-decimals - 1]) / 2)
        corners = (x, above - 2), (left + width + 2, above + height + 2)
        cv2.rectangle(image, *corners, ink.tolist(), 1)
    edge = (0, 0), (image.shape[1] - 1, image.shape[0] - 1)
    rim = grey(10, 90) if rng.random() < 0.7 else grey(120, 230)
    cv2.rectangle(image, *edge, rim.tolist(), rng.choice([1, 2, 4, 7]))
    image, x, y = framed(image, height)
    centres = [x + left + v * width for v in at]
    return Counter(image, (x + left, y + above, width, height), digits, decimals, [], centres)


def framed(image, height):
    """A frame around the glass and the housing around that, in most; where the glass begins in it."""
    if rng.random() < 0.35:
        return image, 0, 0
    m = max(2, int(height * rng.uniform(0.03, 0.3)))
    frame = grey(5, 70) if rng.random() < 0.75 else grey(70, 220)
    out = np.empty((image.shape[0] + 2 * m, image.shape[1] + 2 * m, 3), np.float32)
    out[:] = frame
    slope = rng.uniform(0, 60)  # its sides catch the light differently
    out[:m] += slope * rng.uniform(-1, 1)
    out[-m:] += slope * rng.uniform(-1, 1)
    out[m:-m, :m] += slope * rng.uniform(-1, 1)
    out[m:-m, -m:] += slope * rng.uniform(-1, 1)
    glass = image.astype(np.float32)
    deep = int(height * rng.uniform(0, 0.3)) if rng.random() < 0.4 else 0
    if deep:  # the frame's shadow
        glass[:deep] *= rng.uniform(0.4, 0.9)
    out[m:-m, m:-m] = glass
    k = int(height * rng.uniform(0.05, 0.4))
    housing = grey(110, 245) if rng.random() < 0.7 else grey(10, 110)
    out = cv2.copyMakeBorder(out, k, k, k, k, cv2.BORDER_CONSTANT, value=housing.tolist())
    return np.clip(out, 0, 255).astype(np.uint8), m + k, m + k
