"""Straight reflections of lamps across counters: wheels beneath them are wheels, even where nothing of them is seen."""

import math

import numpy as np

from augment import rng


def light_across(image: np.ndarray, quad: np.ndarray, wheels: int, wheel: int) -> np.ndarray:
    """A band of light over one wheel of the counter `quad`, from edge to edge of the picture or nearly."""
    along = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    at = quad.mean(0) + along * ((wheel + 0.5 + rng.gauss(0, 0.25)) / wheels - 0.5)
    pitch = float(np.linalg.norm(along)) / wheels
    angle = math.atan2(along[1], along[0]) + rng.gauss(0, 0.5)
    width = pitch * math.exp(rng.uniform(math.log(0.15), math.log(1.5))) / 2
    h, w = image.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    across = np.abs((x - at[0]) * math.cos(angle) + (y - at[1]) * math.sin(angle)) / width
    band = np.exp(-(np.minimum(across, 4) ** rng.uniform(1.5, 8))) * rng.uniform(0.45, 1)
    if rng.random() < 0.3:  # a short one
        lengthwise = np.abs((y - at[1]) * math.cos(angle) - (x - at[0]) * math.sin(angle)) / (pitch * rng.uniform(1, 3))
        band *= np.exp(-(np.minimum(lengthwise, 4) ** 4))
    colour = np.float32([rng.uniform(225, 255) for _ in range(3)]) if rng.random() < 0.4 else np.float32([254] * 3)
    return (image + (colour - image) * band[..., None]).clip(0, 255).astype(np.uint8)
