"""Train the counter locator: any picture, any rotation, scaled into 320 x 320."""

import math

import cv2
import numpy as np
import torch
import torch.nn.functional as F

import augment
import loop
from augment import rng
from geometry import axes, rotation, size
from nets import LOCATE_SIZE as S, LOCATE_STRIDE, Locate
from sampling import Sampler

GRID = S // LOCATE_STRIDE
yy, xx = np.mgrid[0:GRID, 0:GRID].astype(np.float32)
CELLS = np.stack([xx, yy], -1) * LOCATE_STRIDE + LOCATE_STRIDE / 2


def view(photo):
    """One random view of a photo: picture S x S and the quad in it (None where there is no counter)."""
    full = photo.pixels(0)
    h, w = full.shape[:2]
    quad = photo.quad if photo.digits else None
    fit = S / max(h, w)
    angle = rng.uniform(-180, 180) if rng.random() < 0.5 else rng.gauss(0, 12)
    centre = np.float32([w / 2, h / 2]) if quad is None else quad.mean(0)
    width = max(h, w) * rng.uniform(0.2, 0.8) if quad is None else size(quad)[0]
    pick = rng.random()
    scale = fit * rng.uniform(0.75, 1.25) if pick < 0.55 else math.exp(rng.uniform(math.log(28), math.log(235))) / width
    A = rotation(math.radians(angle)) * scale
    if rng.random() < 0.3:
        A = A @ np.float32([[rng.uniform(0.8, 1.2), rng.uniform(-0.15, 0.15)], [rng.uniform(-0.08, 0.08), 1]])
    half = min(width * scale * 0.4 + 6, S / 2 - 1)
    if pick < 0.35:  # the whole picture, as at inference
        shift = np.float32([rng.gauss(0, 12), rng.gauss(0, 12)])
        t = np.float32([S / 2, S / 2]) + A @ (centre - np.float32([w / 2, h / 2])) + shift
    else:
        t = np.float32([rng.uniform(half, S - half), rng.uniform(half, S - half)])
    level = 1 if scale <= 0.55 else 0
    M = np.hstack([A, (t - A @ centre)[:, None]]).astype(np.float32)
    B = M.copy()
    if level:
        B[:, :2] *= 2
    # Reading from a smaller level, then halving again where needed, keeps the fine print from aliasing.
    source = photo.pixels(level)
    if scale < 0.3:
        source = cv2.resize(source, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        B[:, :2] *= 2
    image = cv2.warpAffine(source, B, (S, S), flags=cv2.INTER_LINEAR, borderMode=augment.border())
    if quad is not None:
        quad = quad @ A.T + (t - A @ centre)
        c = quad.mean(0)
        if not (2 < c[0] < S - 2 and 2 < c[1] < S - 2):
            return view(photo)
    return augment.photometric(image, 1.3, 0.45), quad


def target(quad):
    """Heat (Gaussian along the box), regression target and its weight."""
    reg = np.zeros((6, GRID, GRID), np.float32)
    if quad is None:
        return np.zeros((GRID, GRID), np.float32), reg, np.zeros((GRID, GRID), np.float32)
    u, _, centre = axes(quad)
    w, h = size(quad)
    e = u / np.linalg.norm(u)
    d = CELLS - centre
    a, b = d @ e / (w / 2), d @ np.float32([-e[1], e[0]]) / max(h / 2, 5)
    heat = np.exp(-(a * a / (2 * 0.22**2) + b * b / (2 * 0.4**2))).astype(np.float32)
    heat[np.unravel_index(np.argmax(heat), heat.shape)] = 1
    weight = np.where(heat > 0.35, heat, 0)
    reg[0], reg[1] = -d[..., 0] / 8, -d[..., 1] / 8
    reg[2], reg[3], reg[4], reg[5] = math.log(w / 32), math.log(h / 8), e[0], e[1]
    return heat, reg, weight.astype(np.float32)


def loss_of(model, batch, device):
    images, heat, reg, weight = batch
    y = model(loop.images_to(device, images)).float()
    p = torch.sigmoid(y[:, 0]).clamp(1e-4, 1 - 1e-4)
    peak = heat.eq(1).float()
    focal = -(peak * (1 - p) ** 2 * p.log() + (1 - peak) * (1 - heat) ** 4 * p**2 * (1 - p).log())
    channel = torch.tensor([1, 1, 2, 2, 4, 4.0], device=device)[None, :, None, None]
    each = (F.smooth_l1_loss(y[:, 1:], reg, reduction="none", beta=0.1) * channel).sum(1) * weight
    has = weight.sum((1, 2)).gt(0).sum().clamp(min=1)
    return {
        "heat": focal.sum() / len(images),
        "box": (each.sum((1, 2)) / weight.sum((1, 2)).clamp(min=1e-3)).sum() / has * 0.5,
    }


if __name__ == "__main__":
    args = loop.arguments("locate", 3400, 64, 3e-3, 0.34).parse_args()
    sampler = Sampler(args, negatives=0.08)

    def make_batch(fold):
        rows = []
        for _ in range(args.batch):
            image, quad = view(sampler.pick(fold))
            rows.append((image, *target(quad)))
        return tuple(np.stack(column) for column in zip(*rows))

    loop.train(args, Locate, make_batch, loss_of)
