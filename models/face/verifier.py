"""The verifier: a second, independent look at one proposed face, upright and always of the same size.

In goes a square crop around the box, 1.8 times its side, 64 pixels. Out come a logit that the box holds a face and,
for training alone, where the face's box and its landmarks lie in it: a network that must find eyes learns what eyes are.
"""

from dataclasses import asdict, dataclass

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIDE = 64  # pixels of a crop
CONTEXT = 1.8  # side of the crop over the side of the box
SAMPLES = 2  # a pixel is the mean of so many samples each way
AUXILIARY = 4 + 10


@dataclass(frozen=True)
class VerifierConfig:
    widths: tuple = (16, 32, 64, 96)
    depths: tuple = (0, 1, 2, 2)
    hidden: int = 96

    def to_dict(self):
        return asdict(self)

    @staticmethod
    def from_dict(values):
        return VerifierConfig(**{k: tuple(v) if isinstance(v, (list, tuple)) else v for k, v in values.items()})


def convolution(inputs, outputs, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.branch = convolution(channels, channels)

    def forward(self, x):
        return F.relu(x + self.branch(x))


class Verifier(nn.Module):
    """[N,3,64,64] pixels 0..255 to logits [N] and auxiliary values [N,14]."""

    def __init__(self, config=VerifierConfig(), dropout=0.2):
        super().__init__()
        self.config = config
        layers, inputs = [], 3
        for width, depth in zip(config.widths, config.depths):
            layers += [convolution(inputs, width, 2), nn.ReLU(inplace=True), *(Residual(width) for _ in range(depth))]
            inputs = width
        self.features = nn.Sequential(*layers)
        cells = (SIDE >> len(config.widths)) ** 2
        self.hidden = nn.Linear(inputs * cells, config.hidden)
        self.dropout = nn.Dropout(dropout)
        self.heads = nn.Linear(config.hidden, 1 + AUXILIARY)

    def forward(self, pixels):
        features = self.features((pixels - 128) / 64)
        values = self.heads(self.dropout(F.relu(self.hidden(features.flatten(1)))))
        return values[:, 0], values[:, 1:]


def square(box):
    """(x, y, side) of the crop around a box: its centre and its side."""
    x1, y1, x2, y2 = box[:4]
    return (x1 + x2) / 2, (y1 + y2) / 2, CONTEXT * float(np.sqrt(max((x2 - x1) * (y2 - y1), 1)))


def crop_matrix(centre_x, centre_y, side, angle=0.0, mirrored=False):
    """Affine matrix from the samples of a crop to the picture, as `warpAffine` takes it with WARP_INVERSE_MAP."""
    count = SIDE * SAMPLES
    step = side / count
    cos, sin = step * np.cos(angle), step * np.sin(angle)
    turn = np.float64([[cos, -sin], [sin, cos]])
    if mirrored:
        turn[:, 0] *= -1
    # Samples and pixels both have their middle half a step in.
    middle = turn @ np.float64([(count - 1) / 2] * 2)
    return np.hstack([turn, (np.float64([centre_x - 0.5, centre_y - 0.5]) - middle)[:, None]])


def sample(picture, matrix):
    """The crop's samples, [128,128,3]; outside the picture is black."""
    count = SIDE * SAMPLES
    return cv2.warpAffine(picture, matrix, (count, count), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)


def shrink(samples):
    return cv2.resize(samples, (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def crops(picture, boxes):
    """[N,64,64,3] of the boxes, as the service takes them."""
    parts = [shrink(sample(picture, crop_matrix(*square(box)))) for box in boxes]
    return np.stack(parts) if parts else np.zeros((0, SIDE, SIDE, 3), np.uint8)


@torch.no_grad()
def logits(network, pixels):
    """[N,64,64,3] uint8 to [N]."""
    if not len(pixels):
        return np.zeros(0, np.float32)
    return network(torch.from_numpy(pixels).permute(0, 3, 1, 2).float())[0].numpy()
