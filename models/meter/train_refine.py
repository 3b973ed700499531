"""Train the corner refiner: a window of 1.5 counter widths around a rough box, in either orientation."""

import math

import cv2
import numpy as np
import torch
import torch.nn.functional as F

import augment
import loop
from augment import rng
from beside import print_beside
from geometry import WINDOW, axes, points_on, rectangle, rotation, size, turned, window_around
from glare import light_across
from nets import REFINE_H as H, REFINE_W as W, Refine
from sampling import Sampler

FRAME = rectangle(0, 0, W, H)
CORNER_WEIGHT = [2, 1] * 4
LIT_SHARE = 0.2


def cut(photo, corners):
    """The window from the level whose pixels are at most twice as fine; returns picture and full-size homography."""
    M = cv2.getPerspectiveTransform(corners, FRAME)
    scale = W / max(np.linalg.norm(corners[1] - corners[0]), 1)
    image, f = photo.pixels(1 if scale < 0.5 else 0), 2 if scale < 0.5 else 1
    while scale * f < 0.5:
        image, f = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), f * 2
    shrunk = M @ np.diag([f, f, 1.0])
    return cv2.warpPerspective(image, shrunk, (W, H), flags=cv2.INTER_LINEAR, borderMode=augment.border()), M


def towards(angle):
    return np.float32([math.cos(angle), math.sin(angle)])


def mistaken(quad):
    """The window around what was taken for a counter, from either side."""
    u, _, c = axes(quad)
    width = size(quad)[0]
    angle = math.atan2(u[1], u[0]) + rng.gauss(0, 0.15) + rng.choice([0, math.pi])
    centre = c + np.float32([rng.gauss(0, 0.06), rng.gauss(0, 0.06)]) * width
    return window_around(centre, towards(angle), width * WINDOW * math.exp(rng.gauss(0, 0.15)))


def anywhere(w, h):
    """A window in a picture without a meter."""
    centre, width = np.float32([rng.uniform(0, w), rng.uniform(0, h)]), max(w, h) * rng.uniform(0.1, 0.9)
    return window_around(centre, towards(rng.uniform(0, 2 * math.pi)), width)


def elsewhere(quad, w, h):
    """A window that is not on the counter, or None where there is hardly any."""
    cw, ch = size(quad)
    u, v, c = axes(quad)
    for _ in range(20):
        centre = np.float32([rng.uniform(0, w), rng.uniform(0, h)])
        width = cw * WINDOW * math.exp(rng.gauss(0, 0.35))
        along, down = abs((centre - c) @ u) / cw, abs((centre - c) @ v) / ch
        if along > 0.65 * cw or down > max(ch, 0.2 * cw):
            level = rng.random() >= 0.4
            angle = math.atan2(u[1], u[0]) + rng.gauss(0, 0.15) if level else rng.uniform(0, 2 * math.pi)
            return window_around(centre, towards(angle), width)
    return None


def negative_window(photo):
    h, w = photo.pixels(0).shape[:2]
    if photo.quad is None:
        return anywhere(w, h)
    return elsewhere(photo.quad, w, h) if photo.digits else mistaken(photo.quad)


def found_of(quad, wheels, lit):
    """What the locator finds: half of the time, a counter ends for it at a wheel on which light lies."""
    if lit is None or rng.random() < 0.5:
        return quad
    first, last = (lit + 1, wheels) if lit < wheels / 2 else (0, lit)
    return points_on(quad, rectangle(first / wheels, 0, last / wheels, 1)) if last - first > 0.55 * wheels else quad


def view(photo):
    """Returns picture, eight corner coordinates, [upside down, counter]."""
    if not photo.digits or rng.random() < 0.12:
        corners = negative_window(photo)
        if corners is not None:
            return augment.photometric(cut(photo, corners)[0]), np.zeros(8, np.float32), np.float32([0, 0])
    quad, wheels = photo.quad, len(photo.digits)
    lit = rng.choice([0, 0, 1, 1, wheels - 1, *range(wheels)]) if rng.random() < LIT_SHARE else None
    found = found_of(quad, wheels, lit)
    u, v, c = axes(found)
    w, h = size(found)
    e, n = u / w, v / h
    e2 = rotation(math.radians(max(-28, min(28, rng.gauss(0, 11))))) @ e
    upside = rng.random() < 0.45
    if upside:
        e2 = -e2
    if photo.display:  # located with the frame, or without the first or last digit
        width = w * WINDOW * math.exp(max(-0.7, min(0.8, rng.gauss(0.05, 0.3))))
        centre = c + e * w * rng.gauss(0, 0.13) + n * h * rng.gauss(0, 0.35)
    else:
        width = w * WINDOW * math.exp(max(-0.4, min(0.5, rng.gauss(0, 0.17))))
        centre = c + e * w * rng.gauss(0, 0.08) + n * h * rng.gauss(0, 0.25)
    corners = window_around(centre, e2, width)
    if rng.random() < 0.4:  # tilted camera
        corners = corners + np.random.randn(4, 2).astype(np.float32) * width * np.float32([0.03, 0.02])
    if rng.random() < 0.3:  # stretched
        stretch = np.eye(2, dtype=np.float32) + np.outer(n, n).astype(np.float32) * rng.uniform(-0.3, 0.3)
        corners = (corners - centre) @ stretch + centre
    image, M = cut(photo, np.float32(corners))
    p = cv2.perspectiveTransform((turned(quad) if upside else quad)[None].astype(np.float32), M)[0]
    reading = turned(p) if upside else p
    if rng.random() < 0.2:
        image = print_beside(image, reading, wheels)
    if lit is not None:
        image = light_across(image, reading, wheels, lit)
    places = (p / np.float32([W / 2, H / 2]) - 1).ravel().astype(np.float32)
    return augment.photometric(image), places, np.float32([upside, 1])


def loss_of(model, batch, device):
    images, corners, flags = batch
    y = model(loop.images_to(device, images)).float()
    is_counter = flags[:, 1]
    weight = torch.tensor(CORNER_WEIGHT, device=device, dtype=torch.float32)
    each = (F.smooth_l1_loss(y[:, :8], corners, beta=0.03, reduction="none") * weight).mean(1)
    count = is_counter.sum().clamp(min=1)
    turn = F.binary_cross_entropy_with_logits(y[:, 8], flags[:, 0], reduction="none")
    return {
        "corner": (each * is_counter).sum() / count * 10,
        "turn": (turn * is_counter).sum() / count * 0.5,
        "counter": F.binary_cross_entropy_with_logits(y[:, 9], is_counter) * 0.5,
    }


if __name__ == "__main__":
    args = loop.arguments("refine", 6300, 256, 4e-3, 0.38).parse_args()
    sampler = Sampler(args, negatives=0.12)

    def make_batch(fold):
        return tuple(np.stack(column) for column in zip(*[view(sampler.pick(fold)) for _ in range(args.batch)]))

    loop.train(args, Refine, make_batch, loss_of)
