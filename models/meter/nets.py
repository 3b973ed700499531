"""The networks. Plain convolutions with batch normalisation: folded at export, cheap on a CPU in bfloat16."""

import torch
from torch import nn

LOCATE_SIZE = 320
LOCATE_STRIDE = 4
REFINE_W, REFINE_H = 160, 80
READ_W, READ_H = 224, 48
MARK_SIZE = 40
MARK_CELL = (2, 1.7)  # wheels wide, counters high: one wheel in the middle, half a wheel on either side
DIGIT_W, DIGIT_H = 32, 40
DIGIT_CELL = (1.25, 1.3)
FRACTIONS = 5  # 0..4 wheels after the decimal point
CLASSES = 21  # 0 blank, 1..10 black 0..9, 11..20 red 0..9


def conv(i, o, stride=1, kernel=3, padding=None):
    padding = kernel // 2 if padding is None else padding
    return nn.Sequential(nn.Conv2d(i, o, kernel, stride, padding, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


def along(c):
    """Over the steps of a strip."""
    return nn.Sequential(nn.Conv1d(c, c, 5, padding=2, bias=False), nn.BatchNorm1d(c), nn.ReLU(inplace=True))


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = conv(c, c)
        self.b = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return torch.relu(x + self.b(self.a(x)))


class Locate(nn.Module):
    """Centre heat map and rotated box. Output N,7,80,80: heat logit, dx/8, dy/8, log(w/32), log(h/8), cos, sin."""

    def __init__(self):
        super().__init__()
        self.s1 = nn.Sequential(conv(3, 16, 2), conv(16, 32, 2), conv(32, 32))
        self.s2 = nn.Sequential(conv(32, 64, 2), Residual(64))
        self.s3 = nn.Sequential(conv(64, 96, 2), Residual(96))
        self.s4 = nn.Sequential(conv(96, 128, 2), Residual(128), conv(128, 128))
        self.l4, self.l3 = nn.Conv2d(128, 64, 1), nn.Conv2d(96, 64, 1)
        self.l2, self.l1 = nn.Conv2d(64, 64, 1), nn.Conv2d(32, 32, 1)
        self.u3, self.u2, self.u1 = conv(64, 64), conv(64, 32), conv(32, 32)
        self.head = nn.Conv2d(32, 7, 1)
        nn.init.zeros_(self.head.bias)
        self.head.bias.data[0] = -4
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, x):
        a = self.s1(x)
        b = self.s2(a)
        c = self.s3(b)
        d = self.s4(c)
        y = self.u3(self.up(self.l4(d)) + self.l3(c))
        y = self.u2(self.up(y) + self.l2(b))
        return self.head(self.u1(self.up(y) + self.l1(a)))


class Refine(nn.Module):
    """Corners in the window, and two logits. Output N,10: eight corner coordinates in [-1, 1] of the window
    (top left of the picture first), upside down, is a counter."""

    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            conv(3, 16, 2), conv(16, 32, 2), conv(32, 48), conv(48, 64, 2), Residual(64), conv(64, 96, 2), conv(96, 64)
        )
        self.h = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.1), nn.Linear(64 * 50, 160), nn.ReLU(inplace=True), nn.Linear(160, 10)
        )

    def forward(self, x):
        return self.h(self.f(x))


class Read(nn.Module):
    """Strip to digits. Output: CTC logits N,56,21 and a logit N that the strip is a counter, upright."""

    def __init__(self):
        super().__init__()
        c = (32, 48, 96, 96, 128)
        self.f = nn.Sequential(
            conv(3, c[0], 2, 5),
            conv(c[0], c[1]),
            nn.MaxPool2d(2),
            conv(c[1], c[2]),
            conv(c[2], c[3]),
            nn.MaxPool2d((2, 1)),
            conv(c[3], c[4]),
            nn.MaxPool2d((2, 1)),
            nn.Dropout(0.1),
            conv(c[4], c[4], 1, (3, 1), 0),
        )
        self.t1, self.t2 = along(c[4]), along(c[4])
        self.out = nn.Conv1d(c[4], CLASSES, 1)
        self.legible = nn.Sequential(nn.Linear(2 * c[4], 64), nn.ReLU(inplace=True), nn.Linear(64, 1))

    def forward(self, x):
        y = self.f(x).squeeze(2)
        y = y + self.t1(y)
        y = y + self.t2(y)
        pooled = torch.cat([y.mean(2), y.amax(2)], 1)
        return self.out(y).permute(0, 2, 1), self.legible(pooled).squeeze(1)


class Mark(nn.Module):
    """Where the fraction begins, by how the wheels look and never by how many there are or which one it is.

    Each cell is looked at alone; a cut is judged by what the wheels to its left have in common, those to its right,
    and the two beside it. Output: logits N,6 of 0..4 wheels after the decimal point and of "cannot be told", and
    logits N,wheels+2 that a cell is a wheel, those just before and after the counter included."""

    def __init__(self):
        super().__init__()
        d = 64
        self.f = nn.Sequential(
            conv(3, 24, 2, 5), conv(24, 48), nn.MaxPool2d(2), conv(48, 64), nn.MaxPool2d(2), conv(64, 96, 1, 3, 0)
        )
        self.embed = nn.Linear(96 * 9, d)
        self.none = nn.Parameter(torch.zeros(2 * d))  # what is right of the cut where there is no fraction
        self.cut = nn.Sequential(nn.Linear(6 * d, 96), nn.ReLU(inplace=True), nn.Linear(96, 1))
        self.unknown = nn.Sequential(nn.Linear(2 * d, 48), nn.ReLU(inplace=True), nn.Linear(48, 1))
        self.wheel = nn.Sequential(nn.Linear(3 * d, 48), nn.ReLU(inplace=True), nn.Linear(48, 1))

    def cells(self, x):
        """Cells N,3,40,40 to N,64."""
        return self.embed(self.f(x).flatten(1))

    def forward(self, cells, count):
        """cells N,2+wheels,64, padded at the end: before the counter, after it, its wheels; count N: the wheels."""
        around, cells = torch.relu(cells[:, :2]), torch.relu(cells[:, 2:])
        n, most, d = cells.shape
        at = torch.arange(most, device=cells.device)
        there = (at < count[:, None]).to(cells.dtype)[..., None]
        e = cells * there
        total = count.to(cells.dtype).view(n, 1, 1)
        ahead = e.cumsum(1)
        number = (at + 1).to(cells.dtype).view(1, most, 1)
        left = ahead / number
        right = (ahead[:, -1:] - ahead) / (total - number).clamp(min=1)
        none = (number >= total).to(cells.dtype)
        right = right * (1 - none) + self.none[:d] * none
        after = torch.cat([e[:, 1:], e[:, :1] * 0], 1) * (1 - none) + self.none[d:] * none
        mean = ahead[:, -1:] / total
        spread = ((e - mean).abs() * there).sum(1, keepdim=True) / total

        def with_common(*parts):
            return torch.cat([*parts, mean.expand_as(parts[0]), spread.expand_as(parts[0])], 2)

        cut = self.cut(with_common(left, e, right, after))[..., 0]
        every = torch.cat([around, e], 1)
        wheel = self.wheel(with_common(every))[..., 0]
        # Cut after wheel i+1 leaves count-i-1 after the point; at least two wheels stay before it.
        k = torch.arange(FRACTIONS, device=cells.device)
        before = count[:, None] - k - 1
        lengths = cut.gather(1, before.clamp(min=0)).masked_fill(before < 1, -30.0)
        return torch.cat([lengths, self.unknown(torch.cat([mean, spread], 2)[:, 0])], 1), wheel


class Digit(nn.Module):
    """The number on one wheel, looked at alone: a second opinion of what the reader says. Output: logits N,10."""

    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            conv(3, 24, 2, 5),
            conv(24, 40),
            nn.MaxPool2d(2),
            conv(40, 56),
            conv(56, 72),
            nn.MaxPool2d(2),
            conv(72, 96, 1, 3, 0),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(96 * 6, 10),
        )

    def forward(self, x):
        return self.f(x)


def halved(state):
    """A network's weights as they are stored: in half precision, but for vectors."""
    return {k: v.half() if v.dtype == torch.float32 and v.dim() > 1 else v for k, v in state.items()}
