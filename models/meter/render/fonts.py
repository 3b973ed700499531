"""Digit glyphs as alpha pictures, drawn once per font."""

from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

MODULES = Path(__file__).resolve().parents[1] / "fonts/node_modules"


def installed(pattern: str, *without: str) -> list[str]:
    found = sorted(str(p) for p in MODULES.glob(pattern) if not any(word in p.name for word in without))
    if not found:
        raise SystemExit(f"no {pattern} in {MODULES}: run npm ci --prefix {MODULES.parent}")
    return found


# Of wheels and of printed text.
TEXT_FONTS = installed("@fontsource/*/files/*-latin-[4567]00-normal.woff", "-ext-")
TEXT_FONTS += installed("dejavu-fonts-ttf/ttf/DejaVuSans*.ttf", "Oblique", "Light")
# Of seven-segment displays.
SEGMENT_FONTS = installed("dseg/fonts/DSEG7-*/*.ttf", "CHAN")


@lru_cache(maxsize=512)
def loaded(path: str, size: int):
    return ImageFont.truetype(path, size)


@lru_cache(maxsize=256)
def glyphs(path: str):
    """Ten alpha pictures of one size: common height, each digit in the middle of the widest."""
    font = loaded(path, 96)
    boxes = [font.getbbox(str(d)) for d in range(10)]
    top, bottom = min(b[1] for b in boxes), max(b[3] for b in boxes)
    width = max(b[2] - b[0] for b in boxes)
    out = []
    for d, b in enumerate(boxes):
        image = Image.new("L", (width, bottom - top), 0)
        ImageDraw.Draw(image).text(((width - (b[2] - b[0])) / 2 - b[0], -top), str(d), font=font, fill=255)
        out.append(np.asarray(image))
    return out


@lru_cache(maxsize=4096)
def text(path: str, size: int, words: str):
    """Alpha picture of a text, tight."""
    font = loaded(path, size)
    b = font.getbbox(words)
    image = Image.new("L", (max(1, b[2] - b[0]), max(1, b[3] - b[1])), 0)
    ImageDraw.Draw(image).text((-b[0], -b[1]), words, font=font, fill=255)
    return np.asarray(image)
