"""Measures detectors as served, on the shared evaluation pictures, one thread.

    python evaluate.py [model.onnx] [--score 0.5] [--fixed]     --fixed: also one look at 640 pixels alone

Prints the teacher and ours in one run. Never choose anything by these figures.
"""

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

import metrics
from dataset import read_rgb, shared_dir, teacher_file
from detector import SERVED_RULE, SERVED_SCORE, TEACHER_RULE, TEACHER_SCORE, AdaptedYunet, Detector, detect

HERE = Path(__file__).resolve().parent
WIDER = ("wider427", "wider_portrait")
SIZE_BANDS = ((0, 16), (16, 32), (32, 64), (64, 128), (128, 1e9))
LANDMARK_FACE = 96  # pixels; smaller faces say little about landmarks


def longest_side(face):
    x1, y1, x2, y2 = face["box"]
    return max(x2 - x1, y2 - y1)


def of_sets(pictures, found, sets):
    rows = [(p, (d.boxes, d.scores)) for p, d in zip(pictures, found) if p["set"] in sets]
    return [p for p, _ in rows], [d for _, d in rows]


def accuracy(pictures, found, score):
    """Every figure that does not need a second detector."""
    wider = of_sets(pictures, found, WIDER)
    result = {}
    for subset in ("easy", "medium", "hard"):
        result[f"AP {subset}"] = 100 * metrics.subset_ap(*wider, lambda f, subset=subset: f[subset])
    for low, high in SIZE_BANDS:
        name = f"AP {low}-{high}px" if high < 1e9 else f"AP {low}px up"

        def in_band(face, low=low, high=high):
            return face["hard"] and low <= longest_side(face) < high

        result[name] = 100 * metrics.subset_ap(*wider, in_band)
    precision, recall = metrics.precision_recall(*wider, score)
    result["precision"], result["recall"] = 100 * precision, 100 * recall
    for name, key in (("wider_portrait", "portraits WIDER"), ("portrait70", "portraits other")):
        result[f"recall {key}"] = 100 * metrics.precision_recall(*of_sets(pictures, found, (name,)), score)[1]
    faceless = of_sets(pictures, found, ("noface",))
    false = metrics.pictures_with_false_face(*faceless, score)
    result["false-face pictures %"] = 100 * false / max(len(faceless[0]), 1)
    result["looks"] = np.mean([d.looks for d in found])
    result["ms a picture"] = np.mean([d.milliseconds for d in found])
    return result


def landmark_error(pictures, ours, teacher, score):
    """Mean distance of our landmarks from the teacher's over the face's size, on large faces that both find."""
    errors = []
    for picture, mine, theirs in zip(pictures, ours, teacher):
        for face in picture["faces"]:
            if face["ignore"] or longest_side(face) < LANDMARK_FACE:
                continue
            box = np.float32([face["box"]])
            pair = [best_on(box, d, s) for d, s in ((mine, score), (theirs, TEACHER_SCORE))]
            if None in pair:
                continue
            a, b = mine.landmarks[pair[0]], theirs.landmarks[pair[1]]
            errors.append(np.linalg.norm(a - b, axis=1).mean() / np.sqrt(metrics.area(box)[0]))
    return 100 * float(np.mean(errors)), len(errors)


def best_on(box, found, score):
    """Index of the detection that overlaps the box most, or None."""
    if not len(found.scores):
        return None
    overlap = np.where(found.scores >= score, metrics.iou_matrix(box, found.boxes)[0], 0)
    return int(np.argmax(overlap)) if overlap.max() >= metrics.MATCH_IOU else None


def print_table(columns):
    print(f"{'':<24}" + "".join(f"{name:>18}" for name in columns))
    for key in next(iter(columns.values())):
        print(f"{key:<24}" + "".join(f"{column.get(key, float('nan')):>18.1f}" for column in columns.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default=HERE / "face-detector.onnx")
    parser.add_argument("--score", type=float, default=SERVED_SCORE, help="default score of our model")
    parser.add_argument("--fixed", action="store_true")
    args = parser.parse_args()
    root = shared_dir() / "face" / "eval"
    if not root.is_dir():
        print(f"skipped: no evaluation pictures under {root} (SHARED_DIR)")
        return
    cv2.setNumThreads(1)
    pictures = json.loads((root / "ground_truth.json").read_text())
    detectors = {"ours": (Detector(args.model), args.score, SERVED_RULE)}
    teacher_path = teacher_file(shared_dir())
    if teacher_path.is_file():
        detectors = {"teacher": (AdaptedYunet(teacher_path), TEACHER_SCORE, TEACHER_RULE), **detectors}
    modes = {"cascade": True, "640 only": False} if args.fixed else {"cascade": True}
    columns, cascades = {}, {}
    for mode, more in modes.items():
        for name, (detector, score, rule) in detectors.items():
            found = []
            for picture in pictures:
                found.append(detect(detector, read_rgb(root / picture["file"]), rule, more))
            columns[f"{name} {mode}"] = accuracy(pictures, found, score)
            if more:
                cascades[name] = found
    if "teacher" in cascades:
        error, count = landmark_error(pictures, cascades["ours"], cascades["teacher"], args.score)
        columns["ours cascade"][f"landmarks % ({count})"] = error
        columns = {k: {**dict.fromkeys(columns["ours cascade"], float("nan")), **v} for k, v in columns.items()}
    print_table(columns)


if __name__ == "__main__":
    main()
