"""Makes a shrunken copy of the training data for a machine with a GPU, laid out like the shared folder.

python pack.py                                   writes models/face/pack (not committed)
SHARED_DIR=models/face/pack python train.py ...  trains from it
"""

import json
import shutil
from pathlib import Path

import cv2

import dataset
import label

PACK = Path(__file__).resolve().parent / "pack"
FACELESS_SIDE = 448
QUALITY = 66


def shrink(row, target, side=dataset.LONGEST):
    """Writes a picture larger than that side as WebP, shrunk, under its old name; returns what is read of it.

    Names stay because the held-out slice is drawn by their hash; readers go by content.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    row = dataset.read_row(row, side)
    if row["scale"] == 1:
        shutil.copy(row["path"], target)
    else:
        picture = cv2.cvtColor(row["picture"], cv2.COLOR_RGB2BGR)
        target.write_bytes(cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])[1].tobytes())
    return row


def pack_faces(train, target):
    """With what `label.py` has seen; the held-out slice with its annotations alone."""
    packed = []
    for held_out in (False, True):
        for row in dataset.annotations(train, held_out):
            name = str(row["path"].relative_to(train))
            row = shrink(row, target / name)
            faces = row["faces"] if held_out else label.joined_faces(row)
            faces = [{**face, "box": [round(v, 1) for v in face["box"]]} for face in faces]
            packed.append({"file": name, "faces": faces})
    (target / "annotations.json").write_text(json.dumps(packed))


def main():
    shared = dataset.training_data()
    train, meters = (shared / kind / "train" for kind in ("face", "meter"))
    shutil.rmtree(PACK, ignore_errors=True)
    target = PACK / "face" / "train"
    pack_faces(train, target)
    for held_out in (False, True):
        for row in dataset.faceless(train, held_out):
            shrink(row, target / "noface" / row["path"].name, FACELESS_SIDE)
        for row in dataset.meters(meters, held_out):
            shrink(row, PACK / "meter" / "train" / row["path"].name, FACELESS_SIDE)
    (PACK / "models").mkdir()
    shutil.copy(dataset.teacher_file(shared), PACK / "models" / "yunet_n_dynamic.onnx")
    size = sum(p.stat().st_size for p in PACK.rglob("*") if p.is_file())
    print(f"{PACK}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
