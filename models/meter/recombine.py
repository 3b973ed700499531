"""Counters that nobody photographed: the wheels of real ones in other numbers and orders, and rendered ones; on both,
painted marks of a fraction.
"""

import cv2
import numpy as np

from augment import rng
from cells import MARGIN_Y, PITCH, Counter, pitch_of, window
from render.display import draw_display
from render.wheels import draw_counter, grey

# Of marking a fraction.
WAYS = ["ink", "ink", "wheel", "wheel", "inverted", "frame", "frame", "comma", "comma", "bar", "smaller", "plate"]
FURTHER_WAYS = ["ink", "wheel", "frame", "comma", "comma", "bar", "smaller", "plate"]


def split(counter: Counter):
    """Columns of the picture: left margin, one piece a wheel, right margin."""
    c = counter.centres
    p = pitch_of(c)
    edges = [c[0] - p / 2, *((a + b) / 2 for a, b in zip(c, c[1:])), c[-1] + p / 2]
    edges = [int(round(np.clip(e, 1, counter.image.shape[1] - 1))) for e in edges]
    image = counter.image
    pieces = [np.array(image[:, a : max(b, a + 4)]) for a, b in zip(edges, edges[1:])]
    return np.array(image[:, : edges[0]]), pieces, np.array(image[:, edges[-1] :])


def joined(left, pieces, right, counter: Counter, red: int) -> Counter:
    x, centres = left.shape[1], []
    for p in pieces:
        centres.append(x + p.shape[1] / 2)
        x += p.shape[1]
    image = np.concatenate([left, *pieces, right], 1)
    return Counter(image, centres, counter.top, counter.bottom, red, counter.source, display=counter.display)


def draw_some(cells, count, first=None, last=None):
    """`count` pieces in any order, some twice; `first` and `last` stay at their ends where given."""
    middle = count - (first is not None) - (last is not None)
    picked = [rng.choice(cells) for _ in range(max(0, middle))]
    return ([] if first is None else [first]) + picked + ([] if last is None else [last])


def recombine(counter: Counter, n: int, k: int) -> Counter:
    """The same counter with n wheels, k of them after the point: wheels dropped, repeated and exchanged. The two wheels
    beside the point stay there, for a comma or a frame's edge between them. Where the photo has no fraction one is
    painted; where it has one and none is wanted it is cut off."""
    left, pieces, right = split(counter)
    whole, fraction = pieces[: len(pieces) - counter.red], pieces[len(pieces) - counter.red :]
    m = n - k
    paint = k > 0 and (not fraction or rng.random() < 0.35)
    if k and not paint:
        before = draw_some(whole[:-1] or whole, m, last=whole[-1])
        after = [fraction[0]] if k == 1 else draw_some(fraction[1:-1] or fraction, k, fraction[0], fraction[-1])
        if k == 1 and len(fraction) > 1 and rng.random() < 0.5:
            after = [fraction[rng.randrange(len(fraction))]]
        return joined(left, before + after, right, counter, k)
    plain = whole[:-1] if fraction and len(whole) > 1 else whole
    cells = [np.array(p) for p in draw_some(plain, n)]
    if not fraction and rng.random() < 0.5:
        cells[-1] = np.array(whole[-1])
    made = joined(left, cells, right, counter, k)
    if rng.random() < 0.35 and not counter.display:  # light on dark, as most electricity counters have them
        x0, y0, x1, y1 = window(made, 0, rng.uniform(0, 0.2))
        recolour(made.image, (x0, max(0, y0), x1, y1), "inverted")
    if paint and rng.random() < 0.12:
        made = spaced(made)
    if k == 0 and rng.random() < 0.06:  # a frame around all wheels marks none
        x0, y0, x1, y1 = window(made, 0, rng.uniform(0, 0.12))
        cv2.rectangle(made.image, (x0, y0), (x1, y1), some_red().tolist(), rng.choice([1, 2, 3]))
    return painted(made) if paint else made


def some_red():
    return np.float32([rng.uniform(120, 235), rng.uniform(10, 90), rng.uniform(10, 80)])


def recolour(image, box, way):
    """Paint the digits or the wheels inside `box` red, or exchange light and dark."""
    x0, y0, x1, y1 = box
    part = image[y0:y1, x0:x1].astype(np.float32)
    light = part.mean(2)
    lo, paper_light, hi = np.percentile(light, [4, 50, 96])
    dark_ink = paper_light - lo > hi - paper_light
    contrast = (paper_light - light if dark_ink else light - paper_light) / (
        max(abs(paper_light - lo), abs(hi - paper_light)) + 8
    )
    ink = np.clip(contrast * 1.2, 0, 1)[..., None]
    red = some_red()
    if way == "inverted":
        out = lo + hi - part
    elif way == "ink" or (way == "wheel" and rng.random() < 0.2):
        shade = np.clip(light / max(hi, 1), 0.3, 1)[..., None] if not dark_ink else 1.0
        out = part * (1 - ink) + red * (hi / 235) * shade * ink
    else:
        paper = red * np.clip(light / max(paper_light, 20), 0.5, 1.3)[..., None] * (0.55 + 0.45 * hi / 255)
        digit = np.float32([hi] * 3) if rng.random() < 0.8 else part
        out = paper * (1 - ink) + np.maximum(digit, 120) * ink
    alpha = rng.uniform(0.75, 1)
    image[y0:y1, x0:x1] = np.clip(part * (1 - alpha) + out * alpha, 0, 255).astype(np.uint8)


def smaller(image, counter, first):
    """Shrink the wheels from `first` on about their middle."""
    f = rng.uniform(0.6, 0.85)
    for c in counter.centres[first:]:
        p = pitch_of(counter.centres)
        a, b, y0, y1 = int(c - p / 2), int(c + p / 2), int(counter.top), int(counter.bottom)
        cell = image[y0:y1, a:b]
        small = cv2.resize(cell, (max(4, int((b - a) * f)), max(6, int((y1 - y0) * f))), interpolation=cv2.INTER_AREA)
        cell[:] = np.median(image[max(0, y0 - 4) : y0 + 2, a:b].reshape(-1, 3), 0).astype(np.uint8)
        oy, ox = (cell.shape[0] - small.shape[0]) // 2, (cell.shape[1] - small.shape[1]) // 2
        cell[oy : oy + small.shape[0], ox : ox + small.shape[1]] = small


def spaced(counter: Counter) -> Counter:
    """With a gap of the housing before the fraction."""
    first, p = len(counter.centres) - counter.red, pitch_of(counter.centres)
    x = int((counter.centres[first - 1] + counter.centres[first]) / 2)
    beside = counter.image[:, -max(2, int(p * rng.uniform(0.15, 0.7))) :]
    counter.image = np.concatenate([counter.image[:, :x], beside, counter.image[:, x:]], 1)
    counter.centres[first:] = [c + beside.shape[1] for c in counter.centres[first:]]
    return counter


def painted(counter: Counter) -> Counter:
    """Mark the last `red` wheels as the fraction, in one or two ways."""
    counter.plain = counter.image.copy()
    image, first = counter.image, len(counter.centres) - counter.red
    inside, p = window(counter, first), pitch_of(counter.centres)
    ways = [rng.choice(WAYS)]
    if rng.random() < 0.3:
        ways.append(rng.choice(FURTHER_WAYS))
    for way in ways:
        if way in ("ink", "wheel", "inverted"):
            recolour(image, inside, way)
        elif way == "smaller":
            smaller(image, counter, first)
        elif way == "frame":
            x0, y0, x1, y1 = window(counter, first, rng.uniform(-0.04, 0.12))
            colour = some_red() if rng.random() < 0.75 else np.float32([rng.choice([20, 235])] * 3)
            cv2.rectangle(image, (x0, y0), (x1, y1), colour.tolist(), rng.choice([1, 2, 2, 3, 4]))
        elif way == "plate":
            x0, y0, x1, y1 = window(counter, first, rng.uniform(0.1, 0.35))
            colour = some_red() if rng.random() < 0.7 else np.float32([rng.uniform(10, 250)] * 3)
            for a, b in ((y0, int(counter.top)), (int(counter.bottom), y1)):
                part = image[max(a, 0) : b, x0:x1]
                part[:] = np.uint8(part * 0.25 + colour * 0.75)
        else:
            x = int(round(inside[0] + rng.gauss(0, 0.04) * p))
            part = image[inside[1] : inside[3], max(0, x - 4) : x + 4]
            colour = [20, 20, 20] if part.mean() > 110 else [235, 235, 235]
            if rng.random() < 0.3:
                colour = some_red().tolist()
            height = inside[3] - inside[1]
            if way == "bar":
                cv2.line(image, (x, inside[1] - 2), (x, inside[3] + 2), colour, rng.choice([2, 3, 4]))
            else:
                r = max(2, int(height * rng.uniform(0.05, 0.11)))
                y = int(inside[3] - height * rng.uniform(-0.1, 0.2))
                cv2.circle(image, (x, y), r, colour, -1, cv2.LINE_AA)
                if rng.random() < 0.6:
                    cv2.line(image, (x, y), (x - r, y + 2 * r), colour, max(1, r))
    return counter


def drawn(n: int, k: int, displays=0.15, crops=None) -> Counter:
    """A rendered counter of n wheels (of `crops`, where given), k after the point: red ones, or plain ones that are
    then marked in any way; or a display."""
    display = rng.random() < displays
    paint = k > 0 and rng.random() < 0.6 and not display
    if display:
        made = draw_display(PITCH * n, (n, k))
    else:
        made = draw_counter(PITCH * n, crops, (n, 0 if paint else k))
    x0, y0, w, h = made.box
    mx, my = int(PITCH * 1.5), int(h * MARGIN_Y)
    image = np.empty((made.image.shape[0] + 2 * my, made.image.shape[1] + 2 * mx, 3), np.uint8)
    image[:] = np.clip(grey(90, 250) if rng.random() < 0.75 else grey(15, 90), 0, 255).astype(np.uint8)
    image[my:-my, mx:-mx] = made.image
    centres = [mx + x for x in made.centres or [x0 + (i + 0.5) * w / n for i in range(n)]]
    counter = Counter(image, centres, my + y0, my + y0 + h, k, "rendered", display=display)
    counter.readings = [made.digits, *made.accept]
    return painted(counter) if paint else counter


def print_after(counter: Counter, mark: np.ndarray) -> None:
    """Print `mark` (alpha) on the dial after the last wheel, where a wheel more would be."""
    p, h = pitch_of(counter.centres), counter.bottom - counter.top
    height = int(h * rng.uniform(0.5, 0.95))
    mark = cv2.resize(mark, (max(4, min(int(p * 0.8), mark.shape[1] * height // mark.shape[0])), height)) / 255.0
    x = int(counter.centres[-1] + p * rng.uniform(0.95, 1.25) - mark.shape[1] / 2)
    y = int(counter.top + (h - height) / 2 + rng.gauss(0, 0.04) * h)
    part = counter.image[y : y + mark.shape[0], x : x + mark.shape[1]]
    if part.shape[:2] == mark.shape:
        colour = 20 if part.mean() > 110 else 235
        part[:] = np.uint8(part * (1 - mark[..., None]) + colour * mark[..., None])
