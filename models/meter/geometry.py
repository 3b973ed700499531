"""Boxes as four corners in reading order: top left, top right, bottom right, bottom left."""

import numpy as np

WINDOW = 1.5  # width of what the refiner looks at, in counter widths; half as high as wide


def rectangle(x0, y0, x1, y1) -> np.ndarray:
    """The upright box between two corners."""
    return np.float32([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


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


def mirrored(quad: np.ndarray) -> np.ndarray:
    """The same box upside down, its left still left."""
    return quad[[3, 2, 1, 0]]


def rotation(radians: float) -> np.ndarray:
    c, s = np.cos(radians), np.sin(radians)
    return np.float32([[c, -s], [s, c]])


def expand(quad, mx=0.0, my=0.0, sx=1.0, sy=1.0, dx=0.0, dy=0.0):
    """Grow a quad along its own sides: margins, then scales, then a shift in counter sizes."""
    top, bottom, left, right = quad[1] - quad[0], quad[2] - quad[3], quad[3] - quad[0], quad[2] - quad[1]
    along = np.stack([top, top, bottom, bottom])
    down = np.stack([left, right, right, left])
    ax, ay = ((1 + 2 * mx) * sx - 1) / 2, ((1 + 2 * my) * sy - 1) / 2
    x = np.float32([-ax, ax, ax, -ax])[:, None] + dx
    y = np.float32([-ay, -ay, ay, ay])[:, None] + dy
    return (quad + along * x + down * y).astype(np.float32)


def window_around(centre, reading, width):
    """Corners of the window: `width` in lengths of `reading`, the vector of its x axis."""
    down = np.float32([-reading[1], reading[0]])
    u, v = reading * width / 2, down * width / 4
    return np.float32(centre + np.float32([-u - v, u - v, u + v, v - u]))


def window(quad):
    """What the refiner looks at."""
    u, _, centre = axes(quad)
    return window_around(centre, u, WINDOW)


def points_on(quad, shares):
    """The points [n, 2] at these shares of the way along and down a quad."""
    s, t = shares[:, :1], shares[:, 1:]
    top, bottom = quad[0] + s * (quad[1] - quad[0]), quad[3] + s * (quad[2] - quad[3])
    return top + t * (bottom - top)
