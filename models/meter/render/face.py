"""A meter's face around a counter: what is printed there must not be read."""

import math

import cv2
import numpy as np

from augment import rng
from render.fonts import TEXT_FONTS, text
from render.wheels import grey, red

UNITS = ["m³", "m3", "kWh", "m³", "kWh", "gal", "ft³", "kW.h", "M3", "L", "m³/h"]
WORDS = [
    "WATER METER",
    "CLASS B",
    "Qn 1.5",
    "Q3=2.5",
    "G4",
    "MADE IN",
    "220V 50Hz",
    "10(40)A",
    "PN16",
    "DN15",
    "ISO 4064",
    "T30",
    "30°C",
    "2016",
    "R80",
    "V=1.2 dm³",
    "GAS",
    "imp/kWh",
    "No",
    "TYPE",
    "EN1359",
    "H",
    "V",
    "A-V B-H",
    "CE M18",
    "x0.001",
    "x 0,1",
    "90°",
    "IP65",
]


def paste(image, alpha, x, y, colour, angle=0):
    """Blend an alpha picture with its centre at x, y."""
    if angle:
        h, w = alpha.shape
        M = cv2.getRotationMatrix2D((w / 2, h / 2), angle, 1)
        s = int(math.hypot(w, h)) + 2
        M[:, 2] += [(s - w) / 2, (s - h) / 2]
        alpha = cv2.warpAffine(alpha, M, (s, s))
    h, w = alpha.shape
    x0, y0 = int(x - w / 2), int(y - h / 2)
    a, b, c, d = max(0, x0), max(0, y0), min(image.shape[1], x0 + w), min(image.shape[0], y0 + h)
    if c <= a or d <= b:
        return
    part = alpha[b - y0 : d - y0, a - x0 : c - x0, None].astype(np.float32) / 255
    image[b:d, a:c] = image[b:d, a:c] * (1 - part) + colour * part


def number(k):
    return "".join(str(rng.randrange(10)) for _ in range(k))


def draw_dial(image, x, y, r, ink):
    """A pointer dial with its scale and needle."""
    plate = grey(180, 250)
    cv2.circle(image, (int(x), int(y)), int(r), plate.tolist(), -1, cv2.LINE_AA)
    cv2.circle(image, (int(x), int(y)), int(r), ink.tolist(), 1, cv2.LINE_AA)
    font, size = rng.choice(TEXT_FONTS), max(6, int(r * 0.38))
    for k in range(10):
        a = k * math.pi / 5 - math.pi / 2
        paste(image, text(font, size, str(k)), x + 0.78 * r * math.cos(a), y + 0.78 * r * math.sin(a), ink)
    a = rng.uniform(0, 2 * math.pi)
    tip = np.float32([math.cos(a), math.sin(a)]) * r * 0.6
    side = np.float32([-math.sin(a), math.cos(a)]) * r * 0.14
    c = np.float32([x, y])
    needle = np.int32([c + tip, c + side, c - tip * 0.4, c - side])
    cv2.fillPoly(image, [needle], (red() if rng.random() < 0.8 else ink).tolist(), cv2.LINE_AA)


def draw_barcode(image, x, y, w, h):
    x, y, w, h = (int(v) for v in (x, y, w, h))
    image[max(0, y) : y + h, max(0, x) : x + w] = 240
    at = x + 2
    while at < x + w - 3:
        bar = rng.randint(1, 3)
        image[max(0, y + 2) : y + h - 2, max(0, at) : at + bar] = 25
        at += bar + rng.randint(1, 3)


def background(size, pictures):
    """Wall, pit or cupboard: a piece of any picture, darkened, or a soft texture."""
    if pictures and rng.random() < 0.6:
        p = rng.choice(pictures)
        h, w = p.shape[:2]
        k = int(min(h, w) * rng.uniform(0.4, 1))
        y, x = rng.randrange(h - k + 1), rng.randrange(w - k + 1)
        piece = cv2.resize(p[y : y + k, x : x + k], (size, size), interpolation=cv2.INTER_AREA)
        return piece.astype(np.float32) * rng.uniform(0.3, 1)
    g = rng.choice([4, 8, 20, 60])
    texture = cv2.resize(np.random.rand(g, g, 3).astype(np.float32), (size, size), interpolation=cv2.INTER_LINEAR)
    return grey(20, 200) + (texture - 0.5) * rng.uniform(5, 90)


def draw_plate(image, cx, cy, w):
    """Round or square meter body; returns its paint."""
    plate = grey(150, 250) if rng.random() < 0.75 else np.float32([rng.uniform(20, 230) for _ in range(3)])
    rim = grey(20, 200) if rng.random() < 0.5 else np.float32([rng.uniform(0, 220) for _ in range(3)])
    centre = (int(cx + rng.gauss(0, 0.1) * w), int(cy + rng.uniform(-0.2, 0.5) * w))
    if rng.random() < 0.55:
        r = int(w * rng.uniform(0.68, 1.1))
        cv2.circle(image, centre, int(r * rng.uniform(1.04, 1.3)), rim.tolist(), -1, cv2.LINE_AA)
        cv2.circle(image, centre, r, plate.tolist(), -1, cv2.LINE_AA)
    else:
        a, b = int(w * rng.uniform(0.62, 1.1)), int(w * rng.uniform(0.35, 1.1))
        m = int(w * rng.uniform(0.02, 0.15))
        for wide, high, colour in ((a + m, b + m, rim), (a, b, plate)):
            corners = (centre[0] - wide, centre[1] - high), (centre[0] + wide, centre[1] + high)
            cv2.rectangle(image, *corners, colour.tolist(), -1)
    return plate


def draw_distractors(image, x0, y0, w, h, plate, pitch):
    """Unit, painted zeros, serial number, dials, words and barcodes around the counter's rectangle."""
    ink = grey(5, 70) if plate.mean() > 110 else grey(180, 250)
    if rng.random() < 0.12:
        ink = red()
    cx, cy = x0 + w / 2, y0 + h / 2
    right = x0 + w + h * rng.uniform(0.1, 0.35)
    if rng.random() < 0.3:  # painted zeros or a factor, in the line of the wheels
        words = rng.choice(["0", "0", "00", "000", "x10", "x0.1", "/10"])
        mark = text(rng.choice(TEXT_FONTS), max(8, int(h * rng.uniform(0.5, 0.95))), words)
        paste(image, mark, right + mark.shape[1] / 2, cy + rng.gauss(0, 0.05) * h, ink)
        right += mark.shape[1] + h * 0.15
    if rng.random() < 0.65:
        mark = text(rng.choice(TEXT_FONTS), max(7, int(h * rng.uniform(0.4, 1.0))), rng.choice(UNITS))
        paste(image, mark, right + mark.shape[1] / 2, cy + rng.gauss(0, 0.2) * h, ink)
    if rng.random() < 0.15:
        mark = text(rng.choice(TEXT_FONTS), max(7, int(h * rng.uniform(0.4, 0.9))), rng.choice(UNITS + WORDS))
        paste(image, mark, x0 - mark.shape[1] / 2 - h * 0.25, cy, ink)
    if rng.random() < 0.25:  # decades under or over the wheels
        for i, words in enumerate(["10000", "1000", "100", "10", "1"]):
            mark = text(TEXT_FONTS[0], max(5, int(h * 0.2)), words)
            paste(image, mark, x0 + (i + 0.5) * pitch, y0 + h * rng.choice([1.25, -0.25]), ink)
    for _ in range(rng.choice([0, 1, 1, 2])):  # serial numbers
        words = rng.choice(["", "", "No ", "SN "]) + number(rng.randint(5, 10))
        mark = text(rng.choice(TEXT_FONTS), max(7, int(h * rng.uniform(0.3, 1.0))), words)
        paste(image, mark, cx + rng.gauss(0, 0.2) * w, cy + rng.choice([-1, 1]) * h * rng.uniform(1.1, 3.5), ink)
    for _ in range(rng.choice([0, 1, 3, 6])):
        mark = text(rng.choice(TEXT_FONTS), max(6, int(h * rng.uniform(0.2, 0.7))), rng.choice(WORDS))
        a = rng.uniform(0, 2 * math.pi)
        y = cy + h * rng.choice([-1, 1]) * rng.uniform(1.2, 4)
        paste(image, mark, cx + 0.8 * w * math.cos(a), y, ink, rng.choice([0, 0, 0, 90, -90, 30]))
    for _ in range(rng.choice([0, 0, 1, 2, 4])):
        r = w * rng.uniform(0.08, 0.2)
        draw_dial(image, cx + rng.uniform(-0.5, 0.5) * w, y0 + h + r * rng.uniform(1.3, 4), r, ink)
    if rng.random() < 0.2:
        y = cy + rng.choice([-1, 1]) * h * rng.uniform(1.5, 3)
        draw_barcode(image, cx - 0.4 * w, y, 0.8 * w * rng.random(), h * rng.uniform(0.4, 1))
