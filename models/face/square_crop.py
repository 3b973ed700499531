"""Crops for the verifier: the square around a box, always of the same size. `core-server/image/square-crop.ts` is the same."""

import cv2
import numpy as np

SIDE = 64  # pixels of a crop
CONTEXT = 1.8  # side of the crop over the side of the box
SAMPLES = 2  # a pixel is the mean of so many samples each way
COUNT = SIDE * SAMPLES  # samples of a crop each way


def square(box):
    """(x, y, side) of the crop around a box: its centre and its side."""
    x1, y1, x2, y2 = box[:4]
    return (x1 + x2) / 2, (y1 + y2) / 2, CONTEXT * float(np.sqrt(max((x2 - x1) * (y2 - y1), 1)))


def crop_matrix(centre_x, centre_y, side, angle=0.0, mirrored=False):
    """Affine matrix from the samples of a crop to the picture, as `warpAffine` takes it with WARP_INVERSE_MAP."""
    step = side / COUNT
    cos, sin = step * np.cos(angle), step * np.sin(angle)
    turn = np.float64([[cos, -sin], [sin, cos]])
    if mirrored:
        turn[:, 0] *= -1
    # Samples and pixels both have their middle half a step in.
    middle = turn @ np.float64([(COUNT - 1) / 2] * 2)
    return np.hstack([turn, (np.float64([centre_x - 0.5, centre_y - 0.5]) - middle)[:, None]])


def sample(picture, matrix):
    """The crop's samples, [128,128,3]; outside the picture is black."""
    return cv2.warpAffine(picture, matrix, (COUNT, COUNT), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)


def shrink(samples):
    return cv2.resize(samples, (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def crops(picture, boxes):
    """[N,64,64,3] of the boxes, as the service takes them."""
    parts = [shrink(sample(picture, crop_matrix(*square(box)))) for box in boxes]
    return np.stack(parts) if parts else np.zeros((0, SIDE, SIDE, 3), np.uint8)
