"""Draws a wheel counter: digits on cylinders behind a window."""

from dataclasses import dataclass

import cv2
import numpy as np

from augment import rng
from render.fonts import TEXT_FONTS, glyphs
from render.reading import random_wheels

SS = 2  # drawn larger, then reduced


@dataclass
class Counter:
    image: np.ndarray  # RGB, the window with its wheels and frame
    box: tuple  # x0, y0, w, h of the wheels in it
    digits: str
    red: int
    accept: list
    centres: list | None = None  # of the digits, along x; None: evenly in the box


def grey(lo, hi):
    return np.full(3, rng.uniform(lo, hi), np.float32) + np.float32([rng.gauss(0, 5) for _ in range(3)])


def red():
    return np.float32([rng.uniform(135, 225), rng.uniform(15, 70), rng.uniform(15, 70)])


def strip_of(font, w, h, gw, gh):
    """All ten digits below each other as alpha."""
    strip = np.zeros((10 * h, w), np.float32)
    for d, glyph in enumerate(glyphs(font)):
        g = cv2.resize(glyph, (max(3, int(w * gw)), max(4, int(h * gh))), interpolation=cv2.INTER_AREA)
        y, x = d * h + (h - g.shape[0]) // 2, (w - g.shape[1]) // 2
        strip[y : y + g.shape[0], x : x + g.shape[1]] = g[:, : w - x] / 255.0
    if rng.random() < 0.3:
        k = np.ones((rng.choice([1, 2, 3]), rng.choice([1, 2, 3])), np.uint8)
        strip = cv2.dilate(strip, k) if rng.random() < 0.5 else cv2.erode(strip, k)
    return strip


def seen(strip, position, step, height, bend):
    """The part of the strip that shows in the window: a cylinder seen from the front."""
    y = np.linspace(-1, 1, height)
    rows = (position + 0.5) * step + np.arcsin(y * bend) / np.arcsin(bend) * height / 2
    return strip[np.int32(np.round(rows)) % strip.shape[0]], y


def colours(style, is_red):
    """(wheel, digit) colours."""
    dark, light = grey(12, 60), grey(185, 250)
    if style == "light":
        wheel, digit = light, dark
    else:
        wheel, digit = dark, light
    if is_red:
        pick = rng.random()
        if pick < 0.55:
            wheel, digit = red(), grey(200, 250)
        elif pick < 0.85 or style == "dark":
            wheel, digit = light, red()
        else:
            wheel, digit = dark, red()
    return wheel, digit


def usual_wheels():
    """How many wheels, and how many of them red."""
    n = rng.choice([4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 9])
    n_red = 0 if n <= 4 else rng.choice([0, 0, 1, 1, 2, 3, 3, 3])
    return n, min(n_red, n - 3)


def draw_counter(width: int, crops=None, wheels=None) -> Counter:
    n, n_red = wheels or usual_wheels()
    positions, digits, accept = random_wheels(n)
    pitch = width * SS / n
    wheel_w = int(pitch * rng.uniform(0.62, 0.98))
    step = int(pitch * rng.uniform(1.05, 1.75))
    height = int(step * rng.uniform(0.85, 1.45))
    bend = rng.uniform(0.2, 0.9)
    frame = int(height * rng.choice([0, rng.uniform(0.05, 0.4)]))
    plate, gap = grey(90, 250) if rng.random() < 0.7 else grey(15, 90), grey(5, 120)
    style = "light" if rng.random() < 0.5 else "dark"
    if rng.random() < 0.35:
        gap = plate
    canvas = np.empty((height + 2 * frame, int(width * SS) + 2 * frame, 3), np.float32)
    canvas[:] = plate
    slots = rng.random() < 0.45  # a window a wheel, or one for all
    if not slots:
        canvas[frame : frame + height, frame : -frame or None] = gap
    font, gw, gh = rng.choice(TEXT_FONTS), rng.uniform(0.5, 0.9), rng.uniform(0.55, 0.88)
    strip = strip_of(font, wheel_w, step, gw, gh)
    look = {False: colours(style, False), True: colours(style, True)}
    lighting = rng.uniform(0, 0.6)
    order = None if crops is None else crops.run(positions)
    for i in range(n):
        is_red = i >= n - n_red
        x = int(frame + i * pitch + (pitch - wheel_w) / 2)
        if order is not None:
            cell = cv2.resize(order[i], (wheel_w, height), interpolation=cv2.INTER_LINEAR).astype(np.float32)
            if is_red:  # paint the crop: keep its light, take the colour of the wheel
                shade = cell.mean(2, keepdims=True) / 255
                dark, light = look[True] if style == "dark" else look[True][::-1]
                cell = dark * (1 - shade) + light * shade
            y = np.linspace(-1, 1, height)
        else:
            alpha, y = seen(strip, positions[i], step, height, bend)
            wheel, digit = look[is_red]
            cell = wheel * rng.uniform(0.93, 1.07) * (1 - alpha[..., None]) + digit * alpha[..., None]
        cell = cell * (1 - lighting * y[:, None, None] ** 2)
        canvas[frame : frame + height, x : x + wheel_w] = cell[:, : canvas.shape[1] - x]
        if slots and rng.random() < 0.5:
            corners = (x, frame), (x + wheel_w - 1, frame + height - 1)
            cv2.rectangle(canvas, *corners, gap.tolist(), rng.choice([1, 2, 3]))
    point = int(frame + (n - n_red) * pitch)
    if n_red and rng.random() < 0.25:  # a red frame round the fraction
        corners = (point, max(0, frame - 3)), (int(frame + n * pitch) - 1, frame + height + 2)
        cv2.rectangle(canvas, *corners, red().tolist(), rng.choice([2, 3, 5]))
    if n_red and rng.random() < 0.3:
        cv2.circle(canvas, (point, frame + height - 4), rng.choice([2, 3, 4]), (look[False][0] * 0.3).tolist(), -1)
    if rng.random() < 0.4:  # shadow of the window's edge
        depth = max(2, int(height * rng.uniform(0.05, 0.25)))
        canvas[frame : frame + depth] *= np.linspace(rng.uniform(0.3, 0.8), 1, depth)[:, None, None]
    if rng.random() < 0.3:  # dirt on the glass
        spots = cv2.resize(np.random.rand(6, 24).astype(np.float32), canvas.shape[1::-1], interpolation=cv2.INTER_CUBIC)
        canvas = canvas * (1 - 0.5 * np.clip(spots - 0.55, 0, 1)[..., None])
    image = np.clip(canvas, 0, 255).astype(np.uint8)
    image = cv2.resize(image, None, fx=1 / SS, fy=1 / SS, interpolation=cv2.INTER_AREA)
    box = tuple(v / SS for v in (frame, frame, width * SS, height))
    return Counter(image, box, digits, n_red, accept)


class Crops:
    """Real wheel crops with their position in tenths; a run takes crops of similar colour."""

    def __init__(self, images, tenths):
        tone = np.array([im.reshape(-1, 3).mean(0) @ [0.3, 0.6, 0.1] for im in images])
        self.by_tenth = {}
        for i in np.argsort(tone):
            self.by_tenth.setdefault(tenths[i], []).append((tone[i], images[i]))

    def run(self, positions):
        tone, out = rng.uniform(40, 190), []
        for p in positions:
            rows = self.by_tenth[int(round(p * 10)) % 100]
            at = int(np.searchsorted([t for t, _ in rows], tone))
            out.append(rows[min(max(0, at + rng.randint(-4, 4)), len(rows) - 1)][1])
        return out
