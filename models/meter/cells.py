"""Counters cut into cells for the networks that look at single wheels: real ones, cached with the place of each wheel,
and those of `recombine.py`, by a random camera.

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
    (CACHE / "cells/index.json").unlink(missing_ok=True)  # of other pixels
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


def window(counter: Counter, first: int, grow=0.0):
    """Rectangle of the wheels from `first` to the last: x0, y0, x1, y1."""
    c, p = counter.centres, pitch_of(counter.centres)
    h = (counter.bottom - counter.top) * grow
    a = (c[first - 1] + c[first]) / 2 if first else c[0] - p / 2
    return int(a), int(counter.top - h), int(c[-1] + p / 2), int(counter.bottom + h)


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
