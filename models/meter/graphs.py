"""What is exported: each network with all work on pixels before and after it, so that the caller has no pixel loop."""

import torch
import torch.nn.functional as F
from torch import nn

from nets import (
    DIGIT_CELL,
    DIGIT_H,
    DIGIT_W,
    FRACTIONS,
    LOCATE_SIZE,
    LOCATE_STRIDE,
    MARK_CELL,
    MARK_SIZE,
    READ_H,
    READ_W,
    REFINE_H,
    REFINE_W,
)

CANDIDATES = 16
# A picture has no colour where its channels, but for what follows the brightness, are no further apart on average
# than GREY and that share of their distance with it: JPEG leaves a little of a cast. Chosen on 2,036 training photos,
# of which as many are `ok` as by the plain distance, and on 616 of them in grey with casts of 5 %, green, sodium and
# sepia: none, 8, 12 and 2 are, by the plain distance 489 to 522. With lower limits more than 1 % of the strips are
# told wrong. If each channel is divided by its mean instead, sepia is a colour; if by its deviation, so is what has
# hardly any blue.
GREY, CAST = 1 / 255, 0.01
GREY_POOL = 8  # of the mean of so many pixels each way: noise is no colour


def to_planes(image):
    """uint8 [1, H, W, 3] to float [1, 3, H, W], still 0..255: normalised after cutting, where there is less of it."""
    return image.permute(0, 3, 1, 2).float()


def normalised(x):
    return x / 255 - 0.5


def atlas(x):
    """The picture, its half and its quarter below each other in one plane, so that one GridSample reads them all."""
    half = F.avg_pool2d(x, 2)
    quarter = F.avg_pool2d(half, 2)
    width = x.shape[3]
    whole = torch.cat([x, F.pad(half, (0, width - half.shape[3])), F.pad(quarter, (0, width - quarter.shape[3]))], 2)
    return whole, [x, half, quarter]


def distance(colours):
    """The mean distance of the channels."""
    return (colours.amax(1) - colours.amin(1)).mean()


def is_grey(pixels):
    """Whether cells [N, 3, H, W] together have one colour only, whichever: grey, sepia, that of a lamp."""
    colours = F.avg_pool2d(pixels, GREY_POOL)
    own = colours - colours.mean((0, 2, 3), keepdim=True)
    light = own.mean(1, keepdim=True)
    follows = (own * light).sum((0, 2, 3), keepdim=True) / (light * light).sum().clamp(min=1e-6)
    return distance(own - follows * light) < GREY + CAST * distance(colours)


def cut_quads(atlas_, quads, width, height):
    """Rectify quads [N, 4, 2] (pixels) to [N, 3, height, width]. Corner points are interpolated bilinearly. Each quad
    is read from the largest level with less than two pixels per pixel of the strip; borders are repeated."""
    whole, planes = atlas_
    side = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]).div(2).pow(2).sum(-1).sqrt()
    zoom = (width / side.clamp(min=1)).view(-1, 1, 1, 1)

    def by_level(values):
        """values[level] for each quad, [N, 1 or 2, 1, 1]."""
        return torch.where(zoom < 0.275, values[2], torch.where(zoom < 0.55, values[1], values[0]))

    def size_of(plane):
        return torch.stack([torch.as_tensor(plane.shape[3]), torch.as_tensor(plane.shape[2])]).float().view(1, 2, 1, 1)

    sizes = [size_of(plane) for plane in planes]
    down = torch.tensor([0.0, 1]).view(1, 2, 1, 1)
    top = by_level([0 * sizes[0], down * sizes[0], down * (sizes[0] + sizes[1])])
    shrunk = by_level([torch.full((1, 1, 1, 1), v) for v in (1.0, 0.5, 0.25)])
    # x and y are planes until the end: arithmetic on pairs takes as long as all else here.
    corners = quads.transpose(1, 2)[..., None, None] * shrunk[:, :, None]
    s = ((torch.arange(width, dtype=torch.float32) + 0.5) / width).view(1, 1, 1, -1)
    t = ((torch.arange(height, dtype=torch.float32) + 0.5) / height).view(1, 1, -1, 1)
    a, b, c, d = corners.unbind(2)
    # Side by side, so that the file holds no constant of the strip's size.
    left, right = a + t * (d - a), b + t * (c - b)
    points = torch.minimum(torch.clamp(left + s * (right - left), min=0.5), by_level(sizes) - 0.5)
    scale = 2 / size_of(whole)
    # All quads lie below each other in one grid: the picture is never copied.
    grid = (points * scale + (top * scale - 1)).permute(0, 2, 3, 1).reshape(1, -1, width, 2)
    got = F.grid_sample(whole, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
    return normalised(got.reshape(3, -1, height, width).permute(1, 0, 2, 3))


def middle_of(quads, wide, high):
    """The middle of quads [N, 4, 2]: such a share of their width and height."""
    s = torch.tensor([-1.0, 1, 1, -1]).view(1, 4, 1) * wide / 2 + 0.5
    t = torch.tensor([-1.0, -1, 1, 1]).view(1, 4, 1) * high / 2 + 0.5
    a, b, c, d = quads.unsqueeze(2).unbind(1)
    top, bottom = a + s * (b - a), d + s * (c - d)
    return top + t * (bottom - top)


class LocateGraph(nn.Module):
    """image [1,320,320,3] -> quads [16,4,2] in input pixels, reading order; scores [16], best first."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        y = self.net(normalised(to_planes(image)))
        heat = torch.sigmoid(y[:, :1])
        peak = heat * (heat == F.max_pool2d(heat, 3, 1, 1)).float()
        scores, at = peak.flatten().topk(CANDIDATES)
        r = y[0, 1:].flatten(1)[:, at]
        grid = LOCATE_SIZE // LOCATE_STRIDE
        row = torch.div(at, grid, rounding_mode="floor")
        x = (at - row * grid).float() * LOCATE_STRIDE + LOCATE_STRIDE / 2 + r[0] * 8
        yy = row.float() * LOCATE_STRIDE + LOCATE_STRIDE / 2 + r[1] * 8
        norm = (r[4] ** 2 + r[5] ** 2).sqrt().clamp(min=1e-6)
        c, s = r[4] / norm, r[5] / norm
        w, h = 16 * r[2].clamp(-6, 3).exp(), 4 * r[3].clamp(-6, 5).exp()
        ux, uy, vx, vy = c * w, s * w, -s * h, c * h
        ways = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = [torch.stack([x + a * ux + b * vx, yy + a * uy + b * vy], -1) for a, b in ways]
        return torch.stack(corners, 1), scores


class RefineGraph(nn.Module):
    """image [1,H,W,3], quads [K,4,2] (`window` of what may be a counter) -> corners [K,4,2] of the counter in reading
    order, as shares of the window; upside_down [K] (probability that they are not, 0 to .5), scores [K] (a counter)."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image, quads):
        y = self.net(cut_quads(atlas(to_planes(image)), quads, REFINE_W, REFINE_H))
        corners = (y[:, :8].view(-1, 4, 2) + 1) / 2
        turn = torch.sigmoid(y[:, 8])
        corners = torch.where((turn > 0.5).view(-1, 1, 1), corners[:, [2, 3, 0, 1]], corners)
        return corners, torch.minimum(turn, 1 - turn), torch.sigmoid(y[:, 9])


class ReadGraph(nn.Module):
    """image [1,H,W,3], quads [M,4,2] -> probs [M,56,21] (softmax), legible [M] (an upright counter)."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image, quads):
        logits, legible = self.net(cut_quads(atlas(to_planes(image)), quads, READ_W, READ_H))
        return logits.softmax(-1), torch.sigmoid(legible)


class MarkGraph(nn.Module):
    """image [1,H,W,3], quads [N,4,2] (a cell for each wheel of one counter, left to right) -> fraction [6] (probability
    of 0..4 wheels after the decimal point and, last, that it cannot be told), wheel [N] (there is a wheel), digit
    [N,10] (it shows this number). In a picture of one colour the fraction cannot be told.

    The places just before and after the counter only train what is no wheel: on unseen meters one in six counters has
    something there that looks like one."""

    def __init__(self, net, digit):
        super().__init__()
        self.net, self.digit = net, digit

    def forward(self, image, quads):
        planes = atlas(to_planes(image))
        pixels = cut_quads(planes, quads, MARK_SIZE, MARK_SIZE)
        shares = (a / b for a, b in zip(DIGIT_CELL, MARK_CELL))
        digit = self.digit(cut_quads(planes, middle_of(quads, *shares), DIGIT_W, DIGIT_H))
        cells = self.net.cells(pixels)
        count = torch.ones_like(cells[:, 0]).sum().long().view(1)
        around = torch.zeros(2, cells.shape[1])
        fraction, wheel = self.net(torch.cat([around, cells]).unsqueeze(0), count)
        nothing = torch.zeros(FRACTIONS + 1)
        nothing[-1] = 1
        fraction = torch.where(is_grey(pixels), nothing, fraction.softmax(-1)[0])
        return fraction, torch.sigmoid(wheel[0, 2:]), digit.softmax(-1)
