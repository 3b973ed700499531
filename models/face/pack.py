"""Makes a shrunken copy of the training data for a machine with a GPU, laid out like the shared folder.

python pack.py                                   writes models/face/pack (not committed)
SHARED_DIR=models/face/pack python train.py ...  trains from it
"""

import argparse
import json
import shutil
from pathlib import Path

import cv2

import dataset
import label

HERE = Path(__file__).resolve().parent


def shrink(source, target, side, quality):
    """Writes a picture larger than that side as WebP, shrunk, under its old name; returns width, height and scale.

    Names stay because the held-out slice is drawn by their hash; readers go by content.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    picture = cv2.imread(str(source))
    scale = min(1.0, side / max(picture.shape[:2]))
    if scale == 1:
        shutil.copy(source, target)
    else:
        size = [round(v * scale) for v in picture.shape[1::-1]]
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        target.write_bytes(cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, quality])[1].tobytes())
    return picture.shape[1], picture.shape[0], scale


def pack_faces(train, target, side, quality):
    """With what `label.py` has seen; the held-out slice with its annotations alone."""
    packed = []
    for held_out in (False, True):
        for row in dataset.annotations(train, held_out):
            name = str(row["path"].relative_to(train))
            width, height, scale = shrink(row["path"], target / name, side, quality)
            faces = row["faces"] if held_out else label.joined_faces(row)
            faces = [{**face, "box": [round(v * scale, 1) for v in face["box"]]} for face in faces]
            packed.append({"file": name, "width": width, "height": height, "faces": faces})
    (target / "annotations.json").write_text(json.dumps(packed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=640)
    parser.add_argument("--quality", type=int, default=66)
    parser.add_argument("--folder", type=Path, default=HERE / "pack")
    args = parser.parse_args()
    shared = dataset.training_data()
    train = shared / "face" / "train"
    shutil.rmtree(args.folder, ignore_errors=True)
    target = args.folder / "face" / "train"
    pack_faces(train, target, args.side, args.quality)
    for row in dataset.faceless(train, held_out=False) + dataset.faceless(train, held_out=True):
        shrink(row["path"], target / "noface" / row["path"].name, 448, args.quality)
    meters = shared / "meter" / "train"
    for row in dataset.meters(meters, held_out=False) + dataset.meters(meters, held_out=True):
        shrink(row["path"], args.folder / "meter" / "train" / row["path"].name, 448, args.quality)
    (args.folder / "models").mkdir()
    shutil.copy(dataset.teacher_file(shared), args.folder / "models" / "yunet_n_dynamic.onnx")
    size = sum(p.stat().st_size for p in args.folder.rglob("*") if p.is_file())
    print(f"{args.folder}: {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
