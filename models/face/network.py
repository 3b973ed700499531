"""The detector: a depthwise-separable backbone, a top-down neck and one anchor-free head a stride.

Every cell of the strides 8, 16 and 32 gives 15 numbers: a score logit, a box (dx, dy, log w, log h in strides,
relative to the cell's corner) and five landmarks (dx, dy in strides).
"""

import copy
from dataclasses import asdict, dataclass, replace

import torch
import torch.nn.functional as F
from torch import nn

STRIDES = (8, 16, 32)
OUTPUTS_PER_CELL = 15


@dataclass(frozen=True)
class NetworkConfig:
    """Widths and depths; what a checkpoint stores to rebuild its network."""

    stem: int = 16
    widths: tuple = (48, 64, 96, 128, 128)  # strides 4, 4, 8, 16, 32
    depths: tuple = (1, 1, 2, 2, 2)  # residual units after each stage's first unit
    neck: int = 64
    head_depth: int = 1
    batch_norm: bool = True  # False: folded into the convolutions, a third cheaper to go on training

    def to_dict(self):
        return asdict(self)

    @staticmethod
    def from_dict(values):
        return NetworkConfig(**{k: tuple(v) if isinstance(v, (list, tuple)) else v for k, v in values.items()})


def separable(inputs, outputs, norm, act=True):
    """1x1 then depthwise 3x3, one normalisation for both: cheaper than one after each and as good here."""
    layers = [
        nn.Conv2d(inputs, outputs, 1, bias=False),
        nn.Conv2d(outputs, outputs, 3, padding=1, groups=outputs, bias=not norm),
        nn.BatchNorm2d(outputs) if norm else nn.Identity(),
    ]
    return nn.Sequential(*layers, nn.ReLU(inplace=True)) if act else nn.Sequential(*layers)


class Residual(nn.Module):
    """Starts as identity (last scale is zero), so that a trained network can be deepened without a jump."""

    def __init__(self, channels, norm):
        super().__init__()
        self.branch = separable(channels, channels, norm, act=False)

    def forward(self, x):
        return F.relu(x + self.branch(x))


def stage(inputs, outputs, depth, downsample, norm):
    pool = nn.MaxPool2d(2) if downsample else nn.Identity()
    return nn.Sequential(pool, separable(inputs, outputs, norm), *(Residual(outputs, norm) for _ in range(depth)))


class FaceNetwork(nn.Module):
    def __init__(self, config=NetworkConfig()):
        super().__init__()
        self.config = config
        w, neck, norm = config.widths, config.neck, config.batch_norm
        self.stem = nn.Sequential(
            nn.Conv2d(3, config.stem, 3, 2, 1, bias=not norm),
            nn.BatchNorm2d(config.stem) if norm else nn.Identity(),
            nn.ReLU(inplace=True),
            separable(config.stem, config.stem, norm),
        )
        inputs = (config.stem, *w[:-1])
        self.stages = nn.ModuleList(
            stage(inputs[i], w[i], config.depths[i], i != 1, norm) for i in range(len(w))
        )
        self.lateral4 = nn.Conv2d(w[3], neck, 1)
        self.lateral3 = nn.Conv2d(w[2], neck, 1)
        self.merge = nn.ModuleList([separable(c, neck, norm) for c in (neck, neck, w[4])])
        self.towers = nn.ModuleList(
            nn.Sequential(separable(neck, neck, norm), *(Residual(neck, norm) for _ in range(config.head_depth)))
            for _ in STRIDES
        )
        self.heads = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(neck, OUTPUTS_PER_CELL, 1),
                nn.Conv2d(OUTPUTS_PER_CELL, OUTPUTS_PER_CELL, 3, padding=1, groups=OUTPUTS_PER_CELL),
            )
            for _ in STRIDES
        )
        self._initialise()

    def _initialise(self):
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_in", nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for module in self.modules():
            if isinstance(module, Residual):
                last = module.branch[2] if self.config.batch_norm else module.branch[1]
                nn.init.zeros_(last.weight)
        for head in self.heads:
            nn.init.normal_(head[1].weight, std=0.2)
            nn.init.zeros_(head[1].bias)
            head[1].bias.data[0] = -4.0  # faces are rare: start by saying no

    def neck(self, x):
        """Normalised RGB [B,3,H,W] to the merged features of the three strides."""
        x = self.stem(x)
        features = []
        for block in self.stages:
            x = block(x)
            features.append(x)
        c3, c4, c5 = features[2:]
        p5 = self.merge[2](c5)
        p4 = self.merge[1](self.lateral4(c4) + F.interpolate(p5, scale_factor=2))
        p3 = self.merge[0](self.lateral3(c3) + F.interpolate(p4, scale_factor=2))
        return p3, p4, p5

    def head(self, features):
        outputs = []
        for feature, tower, head in zip(features, self.towers, self.heads):
            y = tower(feature)
            with torch.autocast(y.device.type, enabled=False):  # boxes need more than bfloat16's 8 bits
                outputs.append(head(y.float()))
        return outputs

    def forward(self, x):
        return self.head(self.neck(x))


def normalise(image):
    """0..255 to the network's range. Zero padding then means mid grey."""
    return (image - 128.0) * (1 / 64.0)


def load_matching(network, state):
    """Copies what fits by name and shape; returns the names left as they were (for growing a trained network)."""
    own = network.state_dict()
    fitting = {k: v for k, v in state.items() if k in own and own[k].shape == v.shape}
    network.load_state_dict({**own, **fitting})
    return sorted(set(own) - set(fitting))


def fold_batch_norm(network):
    """The same function without normalisation: its scale and shift go into the convolution before it."""
    source = copy.deepcopy(network).eval()
    for block in source.modules():
        if not isinstance(block, nn.Sequential):
            continue
        for i in range(1, len(block)):
            conv, norm = block[i - 1], block[i]
            if isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d):
                block[i - 1] = nn.utils.fuse_conv_bn_eval(conv, norm)
                block[i] = nn.Identity()
    folded = FaceNetwork(replace(network.config, batch_norm=False)).eval()
    folded.load_state_dict(source.state_dict())
    return folded
