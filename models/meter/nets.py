"""The three networks. Plain convolutions with batch normalisation: folded at export, cheap on a CPU in bfloat16."""

import torch
from torch import nn

LOCATE_SIZE = 320
LOCATE_STRIDE = 4
REFINE_W, REFINE_H = 160, 80
READ_W, READ_H = 224, 48
CLASSES = 21  # 0 blank, 1..10 black 0..9, 11..20 red 0..9


def conv(i, o, stride=1, kernel=3, padding=None):
    padding = kernel // 2 if padding is None else padding
    return nn.Sequential(nn.Conv2d(i, o, kernel, stride, padding, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


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
        self.l4, self.l3, self.l2, self.l1 = (
            nn.Conv2d(128, 64, 1),
            nn.Conv2d(96, 64, 1),
            nn.Conv2d(64, 64, 1),
            nn.Conv2d(32, 32, 1),
        )
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
        self.t1 = nn.Sequential(
            nn.Conv1d(c[4], c[4], 5, padding=2, bias=False), nn.BatchNorm1d(c[4]), nn.ReLU(inplace=True)
        )
        self.t2 = nn.Sequential(
            nn.Conv1d(c[4], c[4], 5, padding=2, bias=False), nn.BatchNorm1d(c[4]), nn.ReLU(inplace=True)
        )
        self.out = nn.Conv1d(c[4], CLASSES, 1)
        self.legible = nn.Sequential(nn.Linear(2 * c[4], 64), nn.ReLU(inplace=True), nn.Linear(64, 1))

    def forward(self, x):
        y = self.f(x).squeeze(2)
        y = y + self.t1(y)
        y = y + self.t2(y)
        pooled = torch.cat([y.mean(2), y.amax(2)], 1)
        return self.out(y).permute(0, 2, 1), self.legible(pooled).squeeze(1)
