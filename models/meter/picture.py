"""Pictures from files, RGB."""

import cv2
import numpy as np


def read_picture(path) -> np.ndarray:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"cannot decode {path}")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def shrink(image: np.ndarray, side: int) -> np.ndarray:
    """No side longer than `side`; never enlarged."""
    s = side / max(image.shape[:2])
    if s >= 1:
        return image
    width, height = (max(1, round(v * s)) for v in image.shape[1::-1])
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA)
