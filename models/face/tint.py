"""Grey looks in the colours of skin, by which the networks know faces. The service does the same (`tint-grey.ts`)."""

import cv2
import numpy as np

MOST_SPREAD = 12  # between the channels of a grey pixel
COLOURED_SHARE = 0.01  # of the pixels, as of a caption
SHARES = 0.08, -0.01, -0.07  # of 255, which red, green and blue of a middle grey are given
LEVELS = np.arange(256)[:, None] / 255
TABLE = np.floor(255 * (LEVELS + 4 * LEVELS * (1 - LEVELS) * SHARES).clip(0, 1) + 0.5).astype(np.uint8)


def is_grey(image):
    spread = image.max(-1) - image.min(-1)
    return np.count_nonzero(spread > MOST_SPREAD) <= COLOURED_SHARE * spread.size


def tinted(image):
    """The image, or where it is grey a copy in the colours of skin."""
    return cv2.LUT(image, TABLE[None]) if is_grey(image) else image
