"""Boxes as four corners in reading order: top left, top right, bottom right, bottom left."""
import numpy as np


def axes(quad: np.ndarray):
    """Mean reading vector (u), mean downward vector (v) and centre of a quad."""
    u = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
    v = (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    return u, v, quad.mean(0)


def size(quad: np.ndarray):
    u, v, _ = axes(quad)
    return float(np.linalg.norm(u)) + 1e-6, float(np.linalg.norm(v)) + 1e-6


def turned(quad: np.ndarray) -> np.ndarray:
    """The same box read from the other side."""
    return quad[[2, 3, 0, 1]]


def rotation(radians: float) -> np.ndarray:
    c, s = np.cos(radians), np.sin(radians)
    return np.float32([[c, -s], [s, c]])
