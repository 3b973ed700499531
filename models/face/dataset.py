"""The training pictures in memory, the slice held out of them for every choice, and batches from other processes."""

import hashlib
import json
import os
import random
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.multiprocessing as multiprocessing

import augment
from workers import received

HELD_OUT_FACES, HELD_OUT_NOFACE = 200, 40  # or a sixth, if there are fewer pictures
HELD_OUT_METERS = slice(300, 420)  # in the order of hashes
LONGEST = 640  # side of a picture
CROP_SIZES, CROP_ODDS = (320, 416, 512), (5, 3, 2)
FACELESS_SHARE, PORTRAIT_SHARE, MOSAIC_SHARE = 0.16, 0.28, 0.12


def teacher_file(shared):
    """YuNet-n: with the data, or where `make models` puts it."""
    beside_data = shared / "models" / "yunet_n_dynamic.onnx"
    return beside_data if beside_data.is_file() else Path(__file__).resolve().with_name("yunet_n_dynamic.onnx")


def training_data():
    """The folder of the data; says what is missing and ends where there are no pictures or no teacher."""
    shared = Path(os.environ.get("SHARED_DIR") or Path(__file__).resolve().parents[3] / "shared")
    if not (shared / "face" / "train").is_dir():
        raise SystemExit(f"no training pictures under {shared} (SHARED_DIR)")
    if not teacher_file(shared).is_file():
        raise SystemExit("no teacher: `make models` downloads it")
    return shared


def by_hash(names):
    return sorted(names, key=lambda name: hashlib.md5(Path(name).name.encode()).hexdigest())


def split(names, most, held_out):
    """The held-out slice or the rest; which picture is where depends on its name alone."""
    names = by_hash(names)
    count = min(most, len(names) // 6)
    return names[:count] if held_out else names[count:]


def annotations(root, held_out):
    """Pictures with faces as {path, faces}; either the held-out slice or the rest of train/."""
    rows = {
        row["file"]: {"path": root / row["file"], "faces": [{"ignore": False, **face} for face in row["faces"]]}
        for row in json.loads((root / "annotations.json").read_text())
    }
    return [rows[name] for name in split(rows, HELD_OUT_FACES, held_out)]


def faceless(root, held_out):
    folder = root / "noface"
    names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    return [{"path": folder / n, "faces": []} for n in split(names, HELD_OUT_NOFACE, held_out)]


def meters(root, held_out):
    """Meter photos: no faces, many round things that resemble some."""
    if not root.is_dir():
        return []
    names = by_hash(p.name for p in root.iterdir() if p.suffix in (".webp", ".jpg"))
    apart = names[HELD_OUT_METERS]
    chosen = apart if held_out else [n for n in names if n not in apart]
    return [{"path": root / n, "faces": []} for n in chosen]


def read_rgb(path):
    image = cv2.imread(str(path))
    if image is None:
        raise ValueError(f"cannot decode {path}")
    return cv2.cvtColor(image, cv2.COLOR_BGR2RGB)


def read_row(row, side=LONGEST):
    """The row with its picture, shrunk to this side, and the boxes with it."""
    picture = read_rgb(row["path"])
    scale = min(1.0, side / max(picture.shape[:2]))
    if scale < 1:
        picture = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    faces = [{**face, "box": [v * scale for v in face["box"]]} for face in row["faces"]]
    return {**row, "picture": picture, "scale": scale, "faces": faces}


class TrainingPictures:
    """All pictures decoded once, before the workers are forked; `faces_of` may know more of a row's faces."""

    def __init__(self, shared, faces_of=lambda row: row["faces"]):
        train = shared / "face" / "train"
        self.faces = [read_row(row) for row in annotations(train, held_out=False)]
        for row in self.faces:
            row["faces"] = faces_of(row)
        rows = faceless(train, held_out=False) + meters(shared / "meter" / "train", held_out=False)
        self.faceless = [read_row(row) for row in rows]
        self.portraits = [r for r in self.faces if augment.wanted_faces(r["faces"], augment.CLEAR_SIDE)]
        print(f"{len(self.faces)} pictures with faces, {len(self.faceless)} without")

    def draw(self, size, rng, hardness):
        """(crop, faces, index of a face-free picture or -1)."""
        dice = rng.random()
        if dice < FACELESS_SHARE and self.faceless:
            index = rng.choices(range(len(self.faceless)), weights=[0.05 + h for h in hardness])[0]
            return *augment.crop(self.faceless[index]["picture"], [], size, rng), index
        portrait = dice < FACELESS_SHARE + PORTRAIT_SHARE and bool(self.portraits)
        row = rng.choice(self.portraits if portrait else self.faces)
        return *augment.crop(row["picture"], row["faces"], size, rng, portrait), -1

    def sample(self, size, rng, hardness):
        if rng.random() < MOSAIC_SHARE:
            image, faces = augment.mosaic(lambda half: self.draw(half, rng, hardness)[:2], size)
            index = -1
        else:
            image, faces, index = self.draw(size, rng, hardness)
        return augment.disturb(image, faces, rng), faces, index

    def batch(self, rng, hardness, pixels):
        size = rng.choices(CROP_SIZES, CROP_ODDS)[0]
        count = max(1, round(pixels / size**2))
        crops, faces, indices = zip(*(self.sample(size, rng, hardness) for _ in range(count)))
        return np.stack(crops), faces, indices


def feed(pictures, queue, hardness, seed, pixels):
    """A worker's loop."""
    os.nice(3)
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    cv2.setRNGSeed(seed)
    rng = random.Random(seed)
    while True:
        crops, faces, indices = pictures.batch(rng, hardness, pixels)
        queue.put((torch.from_numpy(crops), faces, indices))  # a tensor goes by shared memory, an array by a pipe


def start_workers(pictures, count, seed, pixels):
    """(what gives the next batch, shared hardness of each face-free picture). The workers end with this process."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue(4 * count)
    hardness = context.Array("f", [1.0] * len(pictures.faceless), lock=False)
    workers = []
    for i in range(count):
        given = pictures, queue, hardness, seed + i, pixels
        workers.append(context.Process(target=feed, args=given, daemon=True))
        workers[i].start()
    return partial(received, queue, workers), hardness
