"""The detector: a depthwise-separable backbone, a top-down neck and one anchor-free head a stride.

Every cell of the strides 8, 16 and 32 gives 15 numbers: a score logit, a box (dx, dy, log w, log h in strides,
relative to the cell's corner) and five landmarks (dx, dy in strides).
"""

import copy
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

STRIDES = (8, 16, 32)
OUTPUTS_PER_CELL = 15
STEM = 16
FEATURES = 64  # of every map that one part hands to the next


@dataclass(frozen=True)
class NetworkConfig:
    """Widths of the units of each part, the last of which is FEATURES."""

    stages: tuple = ((32, 64), (64, 64), (128, 64), (128, 64), (128, 64))  # strides 4, 4, 8, 16, 32
    merge: tuple = (64,)
    tower: tuple = (96, 64)


def mixed_precision(device):
    """bfloat16 where there is hardware for it: a processor without takes twenty times as long as with float32."""
    has_it = device.type != "cpu" or torch.backends.cpu.get_cpu_capability() == "AVX512"
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=has_it)


class Mixing(nn.Module):
    """A convolution that is learned for whitened inputs.

    Pixels, and maps after a ReLU, are strongly correlated and far from centred: plain gradient descent crawls on them.
    `set_inputs` moves the frame and keeps the function (but for zeros padded around a 3x3).
    """

    def __init__(self, inputs, outputs, kernel=1, stride=1):
        super().__init__()
        self.shape, self.stride = (outputs, inputs, kernel, kernel), stride
        inputs *= kernel**2
        self.mix = nn.Parameter(torch.randn(outputs, inputs) / inputs**0.5)
        self.offset = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("mean", torch.zeros(inputs))
        self.register_buffer("whiten", torch.eye(inputs))

    def forward(self, x):
        weight, bias = self.weights()
        return F.conv2d(x, weight, bias, self.stride, self.shape[-1] // 2)

    def weights(self):
        mix = self.mix @ self.whiten
        return mix.view(self.shape), self.offset - mix @ self.mean

    def seen(self, x):
        """[B,C,H,W] as rows of what one output sees; every third is enough for statistics."""
        kernel = self.shape[-1]
        x = x if kernel == 1 else F.unfold(x, kernel, stride=self.stride)[..., None]
        return x.permute(0, 2, 3, 1).flatten(0, 2)[::3]

    @torch.no_grad()
    def set_inputs(self, mean, covariance):
        values, vectors = torch.linalg.eigh(covariance)
        values = values.clamp(min=1e-5 * values[-1])
        mix = (self.mix @ self.whiten).double()
        self.offset += mix @ (mean - self.mean)
        self.mix.copy_(mix @ vectors @ torch.diag(values.sqrt()) @ vectors.T)
        self.mean.copy_(mean)
        self.whiten.copy_(vectors @ torch.diag(values.rsqrt()) @ vectors.T)

    def plain(self):
        outputs, inputs, kernel, _ = self.shape
        layer = nn.Conv2d(inputs, outputs, kernel, self.stride, kernel // 2)
        return set_weights(layer, *self.weights())


class Unit(nn.Module):
    """1x1, then depthwise 3x3, then ReLU."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.mixing = Mixing(inputs, outputs)
        spots = 0.15 * torch.randn(outputs, 1, 3, 3)
        spots[:, :, 1, 1] += 0.6
        self.spots = nn.Parameter(spots)
        self.scale = nn.Parameter(torch.ones(outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return F.relu(F.conv2d(self.mixing(x), self.weight(), self.bias, padding=1, groups=len(self.bias)))

    def weight(self):
        return self.spots * self.scale[:, None, None, None]

    def plain(self):
        count = len(self.bias)
        layer = nn.Conv2d(count, count, 3, padding=1, groups=count)
        return nn.Sequential(self.mixing.plain(), set_weights(layer, self.weight(), self.bias), nn.ReLU())


def set_weights(layer, weight, bias):
    layer.weight.data.copy_(weight.detach())
    layer.bias.data.copy_(bias.detach())
    return layer


def chain(inputs, widths):
    return nn.Sequential(*(Unit(a, b) for a, b in zip((inputs, *widths), widths)))


def new_head(inputs):
    head = nn.Sequential(
        nn.Conv2d(inputs, OUTPUTS_PER_CELL, 1),
        nn.Conv2d(OUTPUTS_PER_CELL, OUTPUTS_PER_CELL, 3, padding=1, groups=OUTPUTS_PER_CELL),
    )
    nn.init.normal_(head[0].weight, std=inputs**-0.5)
    nn.init.normal_(head[1].weight, std=0.2)
    nn.init.zeros_(head[0].bias)
    nn.init.zeros_(head[1].bias)
    head[1].bias.data[0] = -4.0  # faces are rare: start by saying no
    return head


class FaceNetwork(nn.Module):
    def __init__(self, config=NetworkConfig()):
        super().__init__()
        self.config = config
        self.stem = nn.Sequential(Mixing(3, STEM, 3, 2), nn.ReLU(), Unit(STEM, STEM), nn.MaxPool2d(2))
        inputs = (STEM, *[FEATURES] * 4)
        self.stages = nn.ModuleList(chain(i, widths) for i, widths in zip(inputs, config.stages))
        self.merge = nn.ModuleList(chain(FEATURES, config.merge) for _ in STRIDES)
        self.towers = nn.ModuleList(chain(FEATURES, config.tower) for _ in STRIDES)
        self.heads = nn.ModuleList(new_head(FEATURES) for _ in STRIDES)

    def features(self, x):
        """Normalised RGB [B,3,H,W] to every part's map by name; what the heads read are tower8, tower16 and tower32."""
        maps = {"stem": self.stem(x)}
        maps["early"] = self.stages[0](maps["stem"])
        maps["stage4"] = self.stages[1](maps["early"])
        for stage, stride in zip(self.stages[2:], STRIDES):
            maps[f"stage{stride}"] = stage(F.max_pool2d(maps[f"stage{stride // 2}"], 2))
        above = None
        for merge, tower, stride in reversed(list(zip(self.merge, self.towers, STRIDES))):
            x = maps[f"stage{stride}"]
            x = x if above is None else x + F.interpolate(above, scale_factor=2)
            above = maps[f"neck{stride}"] = merge(x)
            maps[f"tower{stride}"] = tower(above)
        return maps

    def head(self, maps):
        """One [B,15,h,w] for each stride, the finest first."""
        outputs = []
        for stride, head in zip(STRIDES, self.heads):
            with torch.autocast(maps["stem"].device.type, enabled=False):  # boxes need more than bfloat16's 8 bits
                outputs.append(head(maps[f"tower{stride}"].float()))
        return outputs

    def forward(self, x):
        return self.head(self.features(x))

    def parts(self):
        """name of `features` -> (the module that makes it, the name of its input)."""
        parts = {"stem": (self.stem, "pixels"), "early": (self.stages[0], "stem"), "stage4": (self.stages[1], "early")}
        for i, stride in enumerate(STRIDES):
            parts[f"stage{stride}"] = self.stages[i + 2], f"pooled{stride}"
            parts[f"neck{stride}"] = self.merge[i], f"sum{stride}"
            parts[f"tower{stride}"] = self.towers[i], f"neck{stride}"
        return parts


def normalise(image):
    """0..255 to the network's range. Zero padding then means mid grey."""
    return (image - 128.0) * (1 / 64.0)


def plain(network):
    """The same function in plain convolutions."""
    folded = copy.deepcopy(network).eval()
    for module in list(folded.modules()):
        if isinstance(module, nn.Sequential):
            for i, child in enumerate(module):
                if isinstance(child, (Unit, Mixing)):
                    module[i] = child.plain()
    return folded


@torch.no_grad()
def unframed(network):
    """The same function with every convolution learned for plain inputs: only so can weights be averaged, and halved in
    precision without losing much of it."""
    for module in network.modules():
        if isinstance(module, Mixing):
            weight, offset = module.weights()
            module.mix.copy_(weight.flatten(1))
            module.offset.copy_(offset)
            module.mean.zero_()
            module.whiten.copy_(torch.eye(len(module.mean)))
        elif isinstance(module, Unit):
            module.spots.copy_(module.weight())
            module.scale.fill_(1)
    return network


@torch.no_grad()
def whiten(network, run, batches):
    """Sets the frame of every convolution by what reaches it while `run(batch)` is called on each of the batches."""
    sums, hooks = {}, []

    def collect(mixing, inputs):
        x = mixing.seen(inputs[0].float()).double()
        total, square, count = sums.get(mixing, (0, 0, 0))
        sums[mixing] = total + x.sum(0), square + x.T @ x, count + len(x)

    for module in network.modules():
        if isinstance(module, Mixing):
            hooks.append(module.register_forward_pre_hook(collect))
    for batch in batches:
        run(batch)
    for hook in hooks:
        hook.remove()
    for mixing, (total, square, count) in sums.items():
        mean = total / count
        mixing.set_inputs(mean, square / count - torch.outer(mean, mean))
