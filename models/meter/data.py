"""Photos with a labelled counter, cached as raw pixels so that training never decodes a file twice.

A bank is two files: pixels (uint8, memory mapped, full and half size of every picture) and an index.
Real photos and rendered ones have the same format, so every training script sees one kind of sample.
"""

import argparse
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from geometry import size
from picture import read_picture, shrink

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ["METER_WORK"]) if "METER_WORK" in os.environ else None  # a run of its own: train_own.py
CACHE = WORK / "cache" if WORK else HERE / ".cache"
RUNS = WORK / "runs" if WORK else HERE / "runs"
MAX_SIDE = 800
FOLDERS = ("train", "train_extra", "more")  # of labelled photos, in the data folder
LARGE = ("toloka", "cn")  # the sources of most photos, which are in no fold
OWN = "own-"  # before the sources of own photos (train_own.py)
FOLDS = 4  # of the small sources: each is read by networks that have not seen it (folds.py, unseen.py)


def shared_dir() -> Path:
    """The data folder: SHARED_DIR, or `shared` beside the project."""
    return Path(os.environ.get("SHARED_DIR") or HERE.parents[1] / "../shared").resolve()


def hash_of(text: str) -> int:
    return int(hashlib.md5(text.encode()).hexdigest()[:8], 16)


def fold_of(source: str) -> int:
    """The fold that is evaluated by networks which have not seen the source."""
    origin = "cronix" if source == "gas_igorswat" else source  # photos of one repository
    return hash_of(f"{origin}-fold") % FOLDS


@dataclass(eq=False)
class Photo:
    """One picture. `quad` is in reading order (top left first), `digits` one character per wheel."""

    bank: np.ndarray  # pixels of all its photos
    source: str
    quad: np.ndarray | None
    digits: str = ""
    red: int = 0
    accept: list = field(default_factory=list)
    held: bool = False
    display: bool = False
    levels: list = field(default_factory=list)  # (offset, height, width) of full and half size

    def pixels(self, level: int) -> np.ndarray:
        """The picture at full (0) or half (1) size, RGB."""
        offset, h, w = self.levels[level]
        return self.bank[offset : offset + h * w * 3].reshape(h, w, 3)


def is_held(source: str, digits: str) -> bool:
    """A slice to measure on: whole small sources, whole readings of others. `--all` trains on it too."""
    if source in LARGE or source.startswith(OWN):
        return hash_of(f"{source}/{digits}") % (14 if source in LARGE else 5) == 0
    return hash_of(source + "-b") % 4 == 0  # the salt was chosen for a mix of water, gas and electricity


def labels_of(folder: Path, file="labels.json") -> list[dict]:
    """The labelled photos of a folder, in the format of the card."""
    return json.loads((folder / file).read_text())


def counter_in(image: np.ndarray, label: dict) -> np.ndarray:
    """The labelled corners in pixels of the photo as it was read, which may be shrunk."""
    return np.float32(label["counter"]) * (
        np.float32(image.shape[1::-1]) / np.float32([label["width"], label["height"]])
    )


def check_label(label: dict, image: np.ndarray) -> None:
    """Ends where an own label would teach what is wrong, or stop a training at the first sample of it."""

    def want(field, is_right, wish):
        if not is_right:
            raise SystemExit(f"{label['file']}: {field} is {label.get(field)!r}, want {wish}")

    digits, red, wide, high = (label.get(field) for field in ("digits", "red_digits", "width", "height"))
    want("digits", isinstance(digits, str) and digits.isascii() and digits.isdigit(), "a digit for each wheel, as text")
    want("red_digits", isinstance(red, int) and 0 <= red < len(digits), "those at the end, less than all")
    h, w = image.shape[:2]  # shrunk, to whole pixels
    of_picture = wide and high and abs(wide * h - high * w) <= max(wide, high)
    want("width", of_picture, f"width and height in pixels of the upright picture, which is {w} : {h}")
    quad = counter_in(image, label)
    clockwise = quad.shape == (4, 2) and cv2.isContourConvex(quad) and cv2.contourArea(quad, oriented=True) > 0
    is_inside = clockwise and (0 < quad.mean(0)).all() and (quad.mean(0) < (w, h)).all()
    in_order = is_inside and size(quad)[0] > size(quad)[1]
    want("counter", in_order, "four corners in reading order, from top left to bottom left, in pixels of the picture")


def photos_of(folder: Path) -> list[Photo]:
    """All photos of a bank: `pixels.bin` and `index.json`."""
    bank = np.memmap(folder / "pixels.bin", np.uint8, "r")
    photos = []
    for o in json.loads((folder / "index.json").read_text()):
        quad = o.pop("quad")
        photos.append(Photo(bank=bank, quad=None if quad is None else np.float32(quad), **o))
    return photos


def photos_if_any(folder: Path) -> list[Photo]:
    return photos_of(folder) if (folder / "index.json").exists() else []


class BankWriter:
    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.json").unlink(missing_ok=True)  # of other pixels
        self.folder, self.index, self.offset, self.levels = folder, [], 0, []
        self.file = open(folder / "pixels.bin", "wb")

    def add(self, rgb: np.ndarray | None, **fields):
        """One photo; without a picture, another quad of the one before."""
        if rgb is not None:
            self.levels = []
            for image in (rgb, cv2.resize(rgb, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)):
                self.file.write(np.ascontiguousarray(image).tobytes())
                self.levels.append((self.offset, *image.shape[:2]))
                self.offset += image.size
        quad = fields.pop("quad", None)
        self.index.append(
            {**fields, "quad": None if quad is None else np.asarray(quad).round(2).tolist(), "levels": self.levels}
        )

    def close(self):
        self.file.close()
        if not self.index:
            raise SystemExit(f"no pictures for {self.folder}: SHARED_DIR is {shared_dir()}")
        (self.folder / "index.json").write_text(json.dumps(self.index))


def read_small(path: Path) -> np.ndarray:
    return shrink(read_picture(path), MAX_SIDE)


def build_real(own: Path | None) -> None:
    """The labelled photos, where there are own ones these too, and the training half of the pictures without a meter.
    With own photos, only of them readings are held: nothing else is measured then, and the others may be missing."""
    shared = shared_dir() / "meter"
    writer = BankWriter(CACHE / "real")
    folders = [shared / name for name in FOLDERS] if shared.exists() or not own else []
    for folder in folders + ([own] if own else []):
        for o in labels_of(folder):
            rgb = read_small(folder / o["file"])
            if folder == own:
                check_label(o, rgb)
            source = OWN + o.get("source", folder.name) if folder == own else o["source"]
            writer.add(
                rgb,
                source=source,
                quad=counter_in(rgb, o),
                digits=o["digits"],
                red=o["red_digits"],
                accept=o.get("accept", []),
                held=is_held(source, o["digits"]) and own in (None, folder),
                display=o.get("kind") == "display",
            )
    if own and not any(p["source"].startswith(OWN) and not p["held"] for p in writer.index):
        raise SystemExit(f"no photo of {own} to train on: those of one in five readings are kept out")
    for path in pictures_without_meter(evaluation=False):
        writer.add(read_small(path), source="negative", quad=None)
    writer.close()


def pictures_without_meter(evaluation: bool):
    """The half to train on, or the half that is only ever measured on."""
    return half_of(shared_dir() / "face/train/noface", "*.webp", evaluation)


def face_pictures(evaluation: bool):
    """The half to train on, or the half that thresholds are set by."""
    return half_of(shared_dir() / "face/train/images", "*", evaluation)


def half_of(folder: Path, pattern: str, evaluation: bool):
    """Which half a picture belongs to depends on its name alone."""
    return [p for p in sorted(folder.glob(pattern)) if (hash_of(p.name) % 2 == 0) == evaluation]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Cache the labelled photos as raw pixels.")
    parser.add_argument("--data", type=Path, help="folder with own photos and labels.json, as in the card")
    build_real(parser.parse_args().data)
