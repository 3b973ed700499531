"""Camera effects on uint8 pictures, by 8-bit tables and filters: augmentation shares a core with training."""

import math
import random
from functools import cache

import cv2
import numpy as np

rng = random.Random()


def seed(value: int) -> None:
    rng.seed(value)
    np.random.seed(value % 2**31)


@cache
def noise_bank() -> np.ndarray:
    return np.random.randn(512, 1024, 3).astype(np.float32)


def tone(image: np.ndarray) -> np.ndarray:
    """Exposure, contrast, gamma and white balance as one table per channel."""
    x = np.arange(256, dtype=np.float32) / 255
    if rng.random() < 0.4:
        x = x ** math.exp(rng.uniform(-0.5, 0.5))
    gain, offset = math.exp(rng.uniform(-0.75, 0.35)), rng.uniform(-0.06, 0.15)
    mean = float(image[::4, ::4].mean()) / 255
    contrast = math.exp(rng.uniform(-0.6, 0.4)) if rng.random() < 0.5 else 1
    warm = [rng.uniform(0.78, 1.2) for _ in range(3)] if rng.random() < 0.5 else [1, 1, 1]
    tables = [np.clip((((x - mean) * contrast + mean) * gain + offset) * c, 0, 1) for c in warm]
    return cv2.LUT(image, np.uint8(np.stack(tables, -1)[None] * 255))


def add_light(image: np.ndarray) -> np.ndarray:
    """Shadow gradients and glare spots, computed small and enlarged."""
    h, w = image.shape[:2]
    gw, gh = 24, max(6, 24 * h // w)
    y, x = np.mgrid[0:gh, 0:gw].astype(np.float32) / gw
    field = np.zeros((gh, gw), np.float32)
    if rng.random() < 0.6:
        a = rng.uniform(0, 2 * math.pi)
        field += rng.uniform(20, 80) * ((x - 0.5) * math.cos(a) + (y - 0.5 * gh / gw) * math.sin(a)) * 2
    for _ in range(rng.choice([0, 1, 1, 2])):
        cx, cy, s = rng.random(), rng.random() * gh / gw, rng.uniform(0.03, 0.2)
        field += rng.uniform(40, 230) * np.exp(-((x - cx) ** 2 + (y - cy) ** 2 * rng.uniform(0.4, 3)) / (2 * s * s))
    field = cv2.resize(field, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]
    return np.clip(image + field, 0, 255).astype(np.uint8)


def to_grey(image: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    return np.repeat(grey[..., None], 3, 2)


def low_resolution(image: np.ndarray, low: float) -> np.ndarray:
    h, w = image.shape[:2]
    f = rng.uniform(low, 0.8)
    shrunk = max(8, int(w * f)), max(6, int(h * f))
    small = cv2.resize(image, shrunk, interpolation=rng.choice([cv2.INTER_AREA, cv2.INTER_LINEAR]))
    return cv2.resize(small, (w, h), interpolation=rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))


def blur(image: np.ndarray, most: float) -> np.ndarray:
    if rng.random() < 0.7:
        return cv2.GaussianBlur(image, (0, 0), rng.uniform(0.4, most))
    k = rng.choice([3, 5, 7])
    kernel = np.zeros((k, k), np.float32)
    start = (rng.randrange(k), 0) if rng.random() < 0.5 else (0, rng.randrange(k))
    cv2.line(kernel, start, (k - 1, k - 1 if rng.random() < 0.3 else k // 2), 1)
    return cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1))


def add_noise(image: np.ndarray) -> np.ndarray:
    h, w = image.shape[:2]
    bank = noise_bank()
    y, x = rng.randrange(bank.shape[0] - h + 1), rng.randrange(bank.shape[1] - w + 1)
    noise = bank[y : y + h, x : x + w]
    if rng.random() < 0.3:
        noise = noise[..., :1]
    return np.clip(image + noise * rng.uniform(1, 12), 0, 255).astype(np.uint8)


def small_sensor(image: np.ndarray, low: float) -> np.ndarray:
    """A camera mounted on a meter: grey, few pixels, lit by one lamp, noisy, strongly compressed. Always all of them,
    which independent chances would seldom give."""
    image = low_resolution(add_noise(to_grey(add_light(image) if rng.random() < 0.5 else tone(image))), low)
    return jpeg(image, rng.randint(15, 60)) if rng.random() < 0.7 else image


def jpeg(image: np.ndarray, quality: int) -> np.ndarray:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def photometric(image: np.ndarray, most_blur: float = 1.6, low: float = 0.35) -> np.ndarray:
    """Random camera: tone, light, grey sensor, inversion (infrared), blur, low resolution, noise, JPEG."""
    image = np.ascontiguousarray(image)
    if rng.random() < 0.12:
        return small_sensor(image, low)
    if rng.random() < 0.9:
        image = tone(image)
    if rng.random() < 0.2:
        image = to_grey(image)
    if rng.random() < 0.06:
        image = 255 - image
    if rng.random() < 0.3:
        image = add_light(image)
    if rng.random() < 0.45:
        image = blur(image, most_blur)
    if rng.random() < 0.3:
        image = low_resolution(image, low)
    if rng.random() < 0.5:
        image = add_noise(image)
    if rng.random() < 0.2:
        image = jpeg(image, rng.randint(22, 80))
    return image


def border() -> int:
    return rng.choice([cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE])
