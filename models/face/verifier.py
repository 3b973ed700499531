"""The verifier: a second, independent look at one proposed face, upright and always of the same size.

In goes a square crop around the box, 1.8 times its side, 64 pixels. Out come a logit that the box holds a face and,
for training alone, where the face's box and its landmarks lie in it: a network that must find eyes learns what eyes are.
"""

from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from network import normalise
from square_crop import SIDE

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
    """[N,3,64,64] normalised pixels to logits [N] and auxiliary values [N,14]."""

    def __init__(self, config=VerifierConfig(), dropout=0.2):
        super().__init__()
        self.config = config
        layers, inputs = [], 3
        for width, depth in zip(config.widths, config.depths):
            stage = [convolution(inputs, width, 2), nn.ReLU(), *(Residual(width) for _ in range(depth))]
            layers.append(nn.Sequential(*stage))
            inputs = width
        self.stages = nn.ModuleList(layers)
        cells = (SIDE >> len(config.widths)) ** 2
        self.hidden = nn.Linear(inputs * cells, config.hidden)
        self.dropout = nn.Dropout(dropout)
        self.heads = nn.Linear(config.hidden, 1 + AUXILIARY)

    def maps(self, pixels):
        """The features of each stage, of strides 2, 4, 8 and 16."""
        found = []
        for stage in self.stages:
            pixels = stage(pixels)
            found.append(pixels)
        return found

    def judge(self, features):
        values = self.heads(self.dropout(F.relu(self.hidden(features.flatten(1)))))
        return values[:, 0], values[:, 1:]

    def forward(self, pixels):
        return self.judge(self.maps(pixels)[-1])


def as_input(pixels):
    """[N,64,64,3] uint8 to what the network takes."""
    return normalise(torch.from_numpy(pixels).permute(0, 3, 1, 2).float())


@torch.no_grad()
def logits(network, pixels):
    """[N,64,64,3] uint8 to [N]."""
    if not len(pixels):
        return np.zeros(0, np.float32)
    return network(as_input(pixels))[0].numpy()
