"""Counters cut into cells for the networks that look at single wheels: real ones, cached with the place of each wheel,
and recombined ones.

python cells.py    # cache: each labelled counter at 32 pixels a wheel, its wheels found by the served reader
"""

import json
from dataclasses import dataclass, field

import cv2
import numpy as np

import augment
from assemble import Hypothesis, wheels
from augment import rng
from data import CACHE, FOLDERS, FOLDS, LARGE, counter_in, fold_of, is_held, labels_of, read_small, shared_dir
from geometry import expand, rectangle, size
from nets import MARK_CELL, MARK_SIZE
from render.display import draw_display
from render.wheels import draw_counter, grey

PITCH, MARGIN_Y = 32, 0.6
SEEN_LEVELS, SEEN_PIXELS = 14, 12  # what changes fewer pixels by more than that cannot be seen


@dataclass
class Counter:
    """A rectified counter: wheels at `centres` (pixels along x), from `top` to `bottom`; `red` at the end."""

    image: np.ndarray
    centres: list
    top: float
    bottom: float
    red: int
    source: str = ""
    held: bool = False
    display: bool = False
    readings: list = field(default_factory=list)  # the right ones, where they are known
    plain: np.ndarray | None = None  # the same without marks, where these were painted
    grey: bool = False  # by its camera
    shown: bool = True  # its marks, by its camera


def centres_of(reader, image, quad, digits):
    """Centre of each wheel along the labelled quad, 0..1, by the most probable alignment of the label."""
    crop = reader.rules["crops"][0]
    probs, _ = reader.read_strips(image, [expand(quad, **crop)])
    _, _, x = wheels(Hypothesis(quad, [probs[0]], [], 1, 1, 1), digits)
    return (x - 0.5) * (1 + 2 * crop["mx"]) * crop["sx"] + 0.5


def cut_out(image, quad, n):
    """The counter of n wheels rectified, with a margin around it, and its box there: x0, y0, width, height."""
    w, h = size(quad)
    width, height = PITCH * n, int(np.clip(PITCH * n * h / w, 20, 90))
    mx, my = PITCH * 1.5, height * MARGIN_Y
    f = 1
    while width * f / w < 0.5:
        image, f = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), f * 2
    patch = cv2.warpPerspective(
        image,
        cv2.getPerspectiveTransform(quad / f, rectangle(mx, my, mx + width, my + height)),
        (int(width + 2 * mx), int(height + 2 * my)),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return patch, (mx, my, width, height)


def build() -> None:
    from pipeline import Reader

    reader, index, offset = Reader(), [], 0
    (CACHE / "cells").mkdir(parents=True, exist_ok=True)
    with open(CACHE / "cells/pixels.bin", "wb") as file:
        for folder in (shared_dir() / "meter" / name for name in FOLDERS):
            for o in labels_of(folder):
                image, n = read_small(folder / o["file"]), len(o["digits"])
                quad = counter_in(image, o)
                even = (np.arange(n) + 0.5) / n
                x = centres_of(reader, image, quad, o["digits"])
                if np.abs(x - even).max() > 0.6 / n:  # the label was not found there
                    x = even
                patch, (x0, y0, width, height) = cut_out(image, quad, n)
                file.write(patch.tobytes())
                index.append(
                    dict(
                        shape=patch.shape,
                        offset=offset,
                        centres=(x0 + x * width).round(1).tolist(),
                        top=y0,
                        bottom=y0 + height,
                        red=o["red_digits"],
                        readings=[o["digits"], *(a for a in o["accept"] if len(a) == n)],
                        source=o["source"],
                        held=is_held(o["source"], o["digits"]),
                        display=o.get("kind") == "display",
                    )
                )
                offset += patch.size
    (CACHE / "cells/index.json").write_text(json.dumps(index))
    print(f"{len(index)} counters, {offset / 1e6:.0f} MB")


def load():
    pixels = np.memmap(CACHE / "cells/pixels.bin", np.uint8, "r")
    counters = []
    for o in json.loads((CACHE / "cells/index.json").read_text()):
        shape, offset = o.pop("shape"), o.pop("offset")
        image = pixels[offset : offset + int(np.prod(shape))].reshape(shape)
        counters.append(Counter(image=image, **o))
    return counters


class Real:
    """The real counters by source, but for those held out, unless `all` are wanted."""

    def __init__(self, all):
        self.groups = {}
        for c in load():
            if all or not c.held:
                self.groups.setdefault(c.source, []).append(c)
        self.small = [s for s in self.groups if s not in LARGE]
        self.folds = {fold: [s for s in self.small if fold_of(s) == fold] for fold in range(FOLDS)} | {None: self.small}

    def draw(self, fold, small_share) -> Counter:
        """One of a small source of the fold (None: of any), in that share of draws."""
        if self.small and rng.random() < small_share:
            small = self.folds[fold]
            source = rng.choices(small, [len(self.groups[s]) ** 0.6 for s in small])[0]
        else:
            source = "toloka" if rng.random() < 0.64 else "cn"
        return rng.choice(self.groups[source])


def pitch_of(centres) -> float:
    return float(np.median(np.diff(centres)))


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


def window(counter: Counter, first: int, grow=0.0):
    """Rectangle of the wheels from `first` to the last: x0, y0, x1, y1."""
    c, p = counter.centres, pitch_of(counter.centres)
    h = (counter.bottom - counter.top) * grow
    a = (c[first - 1] + c[first]) / 2 if first else c[0] - p / 2
    return int(a), int(counter.top - h), int(c[-1] + p / 2), int(counter.bottom + h)


def some_red():
    return np.float32([rng.uniform(120, 235), rng.uniform(10, 90), rng.uniform(10, 80)])


def recolour(image, box, way):
    """Paint the digits or the wheels inside `box` red, or exchange light and dark."""
    x0, y0, x1, y1 = box
    part = image[y0:y1, x0:x1].astype(np.float32)
    light = part.mean(2)
    lo, paper_light, hi = np.percentile(light, [4, 50, 96])
    dark_ink = paper_light - lo > hi - paper_light
    ink = np.clip(
        (paper_light - light if dark_ink else light - paper_light)
        / (max(abs(paper_light - lo), abs(hi - paper_light)) + 8)
        * 1.2,
        0,
        1,
    )[..., None]
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
    ways = [
        rng.choice(
            ["ink", "ink", "wheel", "wheel", "inverted", "frame", "frame", "comma", "comma", "bar", "smaller", "plate"]
        )
    ]
    if rng.random() < 0.3:
        ways.append(rng.choice(["ink", "wheel", "frame", "comma", "comma", "bar", "smaller", "plate"]))
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


def cut_cells(counter: Counter, centres, pixels=(MARK_SIZE, MARK_SIZE), cell=MARK_CELL) -> np.ndarray:
    """Cells uint8 n,height,width,3 around `centres`, of `pixels` (width, height), so many wheels wide and counters
    high, with the errors of refiner and reader, which take more of a display for its digits."""
    p = pitch_of(counter.centres) * rng.uniform(0.92, 1.08)
    h = (counter.bottom - counter.top) * rng.uniform(0.88, 1.4 if counter.display else 1.12)
    middle = (counter.top + counter.bottom) / 2 + h * rng.uniform(-0.1, 0.1)
    slope, shear = rng.gauss(0, 0.03), rng.gauss(0, 0.08)
    at = float(np.mean(counter.centres))
    width, height = pixels
    out = np.empty((len(centres), height, width, 3), np.uint8)
    sx, sy = cell[0] * p / width, cell[1] * h / height
    image = counter.image
    zoom = min(sx, sy)
    if zoom > 1.9:
        image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    f = image.shape[1] / counter.image.shape[1]
    for i, c in enumerate(centres):
        x = c + rng.gauss(0, 0.06) * p
        M = np.float32(
            [
                [sx * f, shear * sy * f, (x - sx * width / 2 - shear * sy * height / 2) * f],
                [slope * sx * f, sy * f, (middle + slope * (x - at) - sy * height / 2 - slope * sx * width / 2) * f],
            ]
        )
        out[i] = cv2.warpAffine(
            image, M, pixels, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        )
    return out


def camera(image):
    """A random camera, and whether it sees no colour. Never inverted: that exchanges what is marked."""
    image = np.ascontiguousarray(image)
    if rng.random() < 0.1:
        return augment.small_sensor(image, 0.3), True
    if rng.random() < 0.9:
        image = augment.tone(image)
    grey = rng.random() < 0.08
    if grey:
        image = augment.to_grey(image)
    elif rng.random() < 0.25:  # faded or strong colours
        by = augment.to_grey(image).astype(np.float32)
        image = np.clip(by + (image - by) * rng.uniform(0.65, 1.5), 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        image = augment.add_light(image)
    if rng.random() < 0.45:
        image = augment.blur(image, 1.4)
    if rng.random() < 0.25:
        image = augment.low_resolution(image, 0.4)
    if rng.random() < 0.4:
        image = augment.add_noise(image)
    if rng.random() < 0.25:
        image = augment.jpeg(image, rng.randint(22, 80))
    return image, grey


def differ(image, other) -> bool:
    return int((cv2.absdiff(image, other).max(2) > SEEN_LEVELS).sum()) >= SEEN_PIXELS


def filmed(counter: Counter) -> Counter:
    """By a random camera. What it shows of painted marks, or of red wheels, is what changes where they are not."""
    state, image, plain = rng.getstate(), np.ascontiguousarray(counter.image), counter.plain
    counter.image, counter.grey = camera(image)
    if counter.red and not counter.display:
        x0, y0, x1, y1 = window(counter, len(counter.centres) - counter.red, 0.35)
        part = np.s_[max(0, y0) : y1, max(0, x0 - 4) : x1]
        if plain is None:
            plain = image.copy()
            plain[part] = augment.to_grey(np.ascontiguousarray(image[part]))
        rng.setstate(state)
        without, _ = camera(plain)
        counter.shown = differ(counter.image[part], without[part]) or not differ(image[part], plain[part])
    return counter


def seen(make) -> Counter:
    """What `make` gives, by a random camera; made again where a coloured picture shows nothing of the marks: that would
    teach that of plain counters nothing can be told."""
    counter = filmed(make())
    return counter if counter.shown or counter.grey else seen(make)


if __name__ == "__main__":
    build()
