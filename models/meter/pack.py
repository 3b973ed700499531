"""Makes a shrunken copy of the training data for a machine with a GPU, laid out like the shared folder.

python pack.py                              writes models/meter/pack (not committed)
SHARED_DIR=models/meter/pack python …       trains from it
"""

import json
import shutil
from pathlib import Path

import cv2
import numpy as np

from data import FOLDERS, HERE, face_pictures, labels_of, pictures_without_meter, shared_dir
from geometry import size

SIDE, COUNTER = 400, 215  # the locator's largest view of a whole photo; a little more than the reader's strip
QUALITY = 52
FACES = 260  # pictures for `hard.py`
PACK = HERE / "pack"


def shrink(source: Path, target: Path, scale_of) -> None:
    """Writes a picture as WebP under its old name, since halves are drawn by names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    picture = cv2.imread(str(source))
    side = np.float32(picture.shape[1::-1])
    scale = min(1.0, scale_of(side))
    picture = cv2.resize(picture, np.int32(side * scale).tolist(), interpolation=cv2.INTER_AREA)
    target.write_bytes(cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])[1].tobytes())


def pack_photos(folder: Path, target: Path) -> None:
    """The labelled photos: corners stay in the pixels of `width` and `height`, as `data.py` reads them."""
    labels = labels_of(folder)
    for o in labels:
        quad, stored = np.float32(o["counter"]), np.float32([o["width"], o["height"]])

        def scale_of(side, quad=quad, stored=stored):
            return max(SIDE / side.max(), COUNTER / size(quad * side / stored)[0])

        shrink(folder / o["file"], target / o["file"], scale_of)
    (target / "labels.json").write_text(json.dumps(labels))


def main():
    shared = shared_dir()
    shutil.rmtree(PACK, ignore_errors=True)
    for folder in FOLDERS:
        pack_photos(shared / "meter" / folder, PACK / "meter" / folder)
    shutil.copytree(shared / "meter/digits", PACK / "meter/digits")
    for path in [*pictures_without_meter(evaluation=False), *face_pictures(evaluation=False)[:FACES]]:
        shrink(path, PACK / path.relative_to(shared), lambda side: SIDE / side.max())
    packed = sum(p.stat().st_size for p in PACK.rglob("*") if p.is_file())
    print(f"{PACK}: {packed / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
