"""Strips for the reader: a labelled photo becomes a patch, and the patch a random 224 x 48 view of the counter."""

import math
from functools import cache

import cv2
import numpy as np

import augment
from augment import rng
from geometry import expand, rectangle, rotation, size, turned
from nets import READ_H, READ_W
from recombine import recolour

# A patch shows the counter PATCH_W wide with this margin on each side, in counter widths and heights.
PATCH_W, MARGIN_X, MARGIN_Y = 320, 0.22, 0.85
FRAME = rectangle(0, 0, READ_W, READ_H)


@cache
def patch_of(photo):
    """The counter rectified with its surroundings, and the counter's rectangle in it (x0, y0, w, h)."""
    w, h = size(photo.quad)
    ph = int(np.clip(PATCH_W * h / w, 24, 150))
    mx, my = int(PATCH_W * MARGIN_X), int(max(ph * MARGIN_Y, 12))
    box = rectangle(mx, my, mx + PATCH_W, my + ph)
    M = cv2.getPerspectiveTransform(np.float32(photo.quad), box)
    level = 1 if PATCH_W / w < 0.5 else 0
    image = cv2.warpPerspective(
        photo.pixels(level),
        M @ np.diag([1 + level, 1 + level, 1.0]),
        (PATCH_W + 2 * mx, ph + 2 * my),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return image, (mx, my, PATCH_W, ph)


def shuffle_wheels(image, box, labels, display=False):
    """Exchange black wheels inside a strip: breaks the habit of leading zeros. Assumes an even pitch. The digit before
    the point of a display stays: it would take the point along."""
    x0, y0, w, h = box
    n = len(labels)
    black = [i for i in range(n) if labels[i] <= 10]
    black = black[:-1] if display and len(black) < n else black
    if len(black) < 3:
        return image, labels
    order = black[:]
    rng.shuffle(order)
    top, bottom = int(y0 - 0.02 * h), int(y0 + 1.02 * h)
    half = w / n * rng.uniform(0.46, 0.5)
    out, new = image.copy(), list(labels)
    for to, source in zip(black, order):
        if to == source:
            continue
        a, b = (round(x0 + (i + 0.5) / n * w - half) for i in (to, source))
        width = int(2 * half)
        if min(a, b) < 0 or max(a, b) + width > image.shape[1]:
            return image, labels
        out[top:bottom, a : a + width] = image[top:bottom, b : b + width]
        new[to] = labels[source]
    return out, new


def transplant(image, box, labels, donor, donor_box, donor_labels):
    """Replace some wheels by those of another photo of the same kind (as many wheels, as many red): the same camera and
    glass over readings never photographed. The last wheel is cut and marked differently: it comes from a last one."""
    x0, y0, w, h = box
    dx, dy, _, dh = donor_box
    n, out, new = len(labels), image.copy(), list(labels)
    top, bottom = int(y0 - 0.03 * h), int(y0 + 1.03 * h)
    donor_top, donor_bottom = int(dy - 0.03 * dh), int(dy + 1.03 * dh)
    width = int(w / n * rng.uniform(0.94, 1))
    for i in range(n):
        if rng.random() < 0.5:
            continue
        same = [j for j in range(n - 1) if (donor_labels[j] > 10) == (labels[i] > 10)]
        j = n - 1 if i == n - 1 or not same else rng.choice(same)
        a, b = int(x0 + (i + 0.5) * w / n - width / 2), int(dx + (j + 0.5) * w / n - width / 2)
        cell = cv2.resize(
            donor[donor_top:donor_bottom, b : b + width], (width, bottom - top), interpolation=cv2.INTER_LINEAR
        ).astype(np.float32)
        there = image[top:bottom, a : a + width]
        gain = float(np.clip((there.std() + 1) / (cell.std() + 1), 0.6, 1.6))
        out[top:bottom, a : a + width] = np.clip((cell - cell.mean()) * gain + there.mean(), 0, 255)
        new[i] = donor_labels[j]
    return out, new


def light_on_dark(image, box, labels):
    """Light and dark exchanged on the black wheels, as most counters of gas and electricity have them."""
    x0, y0, w, h = box
    black = sum(label <= 10 for label in labels)
    grow = rng.uniform(0, 0.15) * h
    out = image.copy()
    recolour(out, (x0, max(0, int(y0 - grow)), int(x0 + w * black / len(labels)), int(y0 + h + grow)), "inverted")
    return out


def warp(image, quad):
    """Rectify a quad of the patch, halving first where it would alias."""
    f = 1
    while READ_W * f / max(np.linalg.norm(quad[1] - quad[0]), 1) < 0.55:
        image, f = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), f * 2
    M = cv2.getPerspectiveTransform(np.float32(quad) / f, FRAME)
    return cv2.warpPerspective(image, M, (READ_W, READ_H), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def random_quad(box, display=False):
    """The counter's rectangle with the refiner's errors: of a display it takes the frame or a sign, too."""
    x0, y0, w, h = box
    q = rectangle(x0, y0, x0 + w, y0 + h)
    if display and rng.random() < 0.5:
        left, right, up, down = (rng.uniform(-0.01, most) * rng.random() for most in (0.32, 0.32, 0.6, 0.6))
        sx, sy, dx, dy = 1 + left + right, 1 + up + down, (right - left) / 2, (down - up) / 2
    else:
        sx, sy, dx, dy = rng.uniform(0.97, 1.16), rng.uniform(0.84, 1.42), rng.gauss(0, 0.015), rng.uniform(-0.16, 0.16)
    q = expand(q, mx=0.03, my=0.10, sx=sx, sy=sy, dx=dx, dy=dy)
    c = q.mean(0)
    q = (q - c) @ rotation(math.radians(rng.gauss(0, 2.8))).T + c
    q = q + np.random.randn(4, 2).astype(np.float32) * np.float32([0.012 * w, 0.05 * h])
    shear = rng.gauss(0, 0.08) * h
    q[:2, 0] += shear
    q[2:, 0] -= shear
    return q.astype(np.float32)


def shot(image, quad):
    """What a camera sees of a quad of the patch."""
    return augment.photometric(warp(image, quad), 1.5, 0.3)


def positive(image, box, display=False):
    return shot(image, random_quad(box, display))


def looks_the_same_turned(digits: str) -> bool:
    return all(c in "01869" for c in digits)


def negative(image, box, digits, red):
    """Not an upright counter: the counter upside down, half of it, or what is printed around it."""
    x0, y0, w, h = box
    q = random_quad(box)
    pick = rng.random()
    if pick < 0.55 and not (red == 0 and looks_the_same_turned(digits)):
        return shot(image, turned(q))
    if pick < 0.8:
        q = q + np.float32([rng.uniform(-0.2, 0.2) * w, rng.choice([-1, 1]) * rng.uniform(0.75, 1.3) * h])
    else:
        q = q + np.float32([rng.choice([-1, 1]) * rng.uniform(0.45, 1) * w, rng.uniform(-0.5, 0.5) * h])
    return shot(image, turned(q) if rng.random() < 0.3 else q)


def random_strip(image):
    """Any strip of a picture without a meter."""
    h, w = image.shape[:2]
    a, width = rng.uniform(0, 2 * math.pi), w * rng.uniform(0.15, 0.8)
    e = np.float32([math.cos(a), math.sin(a)])
    n = np.float32([-e[1], e[0]])
    c = np.float32([rng.uniform(0.2, 0.8) * w, rng.uniform(0.2, 0.8) * h])
    u, v = e * width / 2, n * width / rng.uniform(6, 16)
    return shot(image, np.float32([c - u - v, c + u - v, c + u + v, c - u + v]))


def classes(digits: str, red: int):
    """Digits to CTC classes: 1..10 black, 11..20 red."""
    n = len(digits) - red
    return [int(c) + (1 if i < n else 11) for i, c in enumerate(digits)]
