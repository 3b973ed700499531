"""Seven-segment displays: liquid crystal with ghost segments, or lit."""

import cv2
import numpy as np
from PIL import Image, ImageDraw

from augment import rng
from render.fonts import loaded, text
from render.wheels import Counter, grey


def draw_display(width: int, fonts, segment_fonts, digits_decimals=None) -> Counter:
    n, decimals = digits_decimals or (rng.choice([5, 5, 6, 6, 7, 8, 8, 9]), rng.choice([0, 0, 1, 1, 2, 3, 3]))
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
    if rng.random() < 0.8:
        paper = np.float32([rng.uniform(110, 210)] * 3) + np.float32(
            [rng.uniform(-25, 10), rng.uniform(-5, 25), rng.uniform(-40, 15)]
        )
        ink = paper * rng.uniform(0.05, 0.55)
    else:
        paper = grey(5, 35)
        ink = np.float32(rng.choice([[255, 50, 30], [240, 60, 60], [80, 255, 110], [235, 240, 255]]))
    mx, my = int(height * rng.uniform(0.15, 0.9)), int(height * rng.uniform(0.15, 0.8))
    canvas = np.empty((height + 2 * my, width + 2 * mx, 3), np.float32)
    canvas[:] = paper
    inner = canvas[my : my + height, mx : mx + width]
    faint = rng.choice([0, 0, rng.uniform(0.02, 0.14)])
    inner[:] = inner * (1 - ghost * faint) + ink * ghost * faint
    if rng.random() < 0.4:  # shadow of the digits on the back plate
        shift = rng.choice([1, 2, 3])
        inner[shift:, shift:] = inner[shift:, shift:] * (1 - 0.25 * layer[:-shift, :-shift])
    inner[:] = inner * (1 - layer) + ink * layer
    from render.face import paste

    if rng.random() < 0.6:
        paste(
            canvas,
            text(
                rng.choice(fonts),
                max(6, int(height * rng.uniform(0.2, 0.4))),
                rng.choice(["m³", "kWh", "KWH", "m3", "kW", "Hz"]),
            ),
            mx + width + mx * 0.5,
            my + height * rng.uniform(0.2, 0.9),
            ink,
        )
    for _ in range(rng.choice([0, 1, 2])):
        paste(
            canvas,
            text(
                rng.choice(fonts),
                max(6, int(height * rng.uniform(0.15, 0.3))),
                rng.choice(["R1", "T1", "RUN", "01", "CUM", "1.8.0", "BAT", "88"]),
            ),
            rng.uniform(0, canvas.shape[1]),
            rng.choice([my * 0.4, my * 1.6 + height]),
            ink,
        )
    image = np.clip(canvas, 0, 255).astype(np.uint8)
    cv2.rectangle(image, (0, 0), (image.shape[1] - 1, image.shape[0] - 1), grey(10, 90).tolist(), rng.choice([1, 2, 4]))
    at = [font.getlength(words[:i]) + font.getlength(c) / 2 - b[0] for i, c in enumerate(words) if c != "."]
    centres = [mx + x / (b[2] - b[0]) * width for x in at]
    return Counter(image, (mx, my, width, height), digits, decimals, [], centres)
