"""Labels better than one pass of the teacher: its passes over several scales, mirrored and tiled, fused by box voting.

    python label.py                 writes cache/labels, one file a picture; run it again and it goes on
    python label.py --measure       AP of single passes and of what is fused, against the ground truth

What is stored are the candidates of every pass; `fused` joins them, so that its rule can change without new passes.
The rule's numbers were chosen on training pictures.
"""

import argparse
import hashlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

import dataset
import metrics
from detector import AdaptedYunet, Found, scaled

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "cache" / "labels"
FUSED = HERE / "cache" / "fused"  # by the rule below: delete it after a change
SCALES = (0.5, 1.0, 1.5, 2.0, 3.0)  # of the stored picture, whose longer side has at most 640 pixels
TILE, TILE_OVERLAP = 1280, 192  # pixels of the scaled picture; larger ones are looked at in tiles
LEAST_SCORE = 0.05
SAME_FACE = 0.5  # overlap of boxes of one face
SEEN_SIDES = 6, 640  # pixels of the pass: sides of the faces that a pass can see
MEAN_SHARE = 0.7  # of the mean over these passes; the rest is the maximum's
ANNOTATED = 0.4  # overlap of a label's box and an annotator's
UNSEEN_CLEAR = 0.5  # how clear an annotated face is that no pass of the teacher sees
DOUBTFUL = 0.4  # a label of this score without annotation is neither wanted nor punished


@dataclass(frozen=True)
class Rule:
    """How passes are fused."""

    scales: tuple = SCALES
    mirrored: bool = True
    sides: tuple = SEEN_SIDES
    mean_share: float = MEAN_SHARE


def starts(length):
    """Where tiles begin along a side of this length."""
    if length <= TILE:
        return [0]
    count = -(-(length - TILE_OVERLAP) // (TILE - TILE_OVERLAP))
    return [round(i * (length - TILE) / (count - 1)) for i in range(count)]


def look(teacher, picture, scale):
    """The teacher's faces at this scale, in pixels of the picture."""
    height, width = (round(side * scale) for side in picture.shape[:2])
    kind = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    image = picture if scale == 1 else cv2.resize(picture, (width, height), interpolation=kind)
    found = []
    for top in starts(height):
        for left in starts(width):
            part = np.ascontiguousarray(image[top : top + TILE, left : left + TILE])
            boxes, scores, points = teacher(scaled(part, 1), LEAST_SCORE)
            some = Found(boxes, scores, points).suppressed()
            low, high = np.float32([left, top]), np.float32([left, top]) + part.shape[1::-1]
            # Another tile sees whole what this one cuts.
            cut = ((some.boxes[:, :2] < 2) & (low > 0)).any(1)
            cut |= ((some.boxes[:, 2:] + low > high - 2) & (high < np.float32([width, height]))).any(1)
            found.append(some.pick(~cut).moved(left, top))
    joined = found[0]
    for more in found[1:]:
        joined = joined.joined(more)
    joined = joined.suppressed() if len(found) > 1 else joined
    return Found(joined.boxes / scale, joined.scores, joined.landmarks / scale)


def passes(teacher, picture):
    """Rows of every pass: scale, whether mirrored, score, box, ten numbers of landmarks, [N,17]."""
    rows = []
    mirror = np.ascontiguousarray(picture[:, ::-1])
    for scale in SCALES:
        for flip in (False, True):
            found = look(teacher, mirror if flip else picture, scale)
            if flip:
                found = found.mirrored(picture.shape[1])
            count = len(found.scores)
            head = np.tile(np.float32([scale, flip]), (count, 1))
            rows.append(np.hstack([head, found.scores[:, None], found.boxes, found.landmarks.reshape(count, 10)]))
    return np.concatenate(rows).astype(np.float32)


def fused(rows, rule=Rule()):
    """One `Found` of all passes: boxes and landmarks are means by score, scores say how many passes agree."""
    rows = rows[np.isin(rows[:, 0], np.float32(rule.scales)) & (rule.mirrored | (rows[:, 1] == 0))]
    each = 2 if rule.mirrored else 1
    sides = np.sqrt(metrics.area(rows[:, 3:7]))
    # A pass that shows a face too small or too large for the teacher says nothing about it.
    shown = sides * rows[:, 0]
    able = (shown >= rule.sides[0]) & (shown <= rule.sides[1])
    order = np.argsort(-(rows[:, 2] + able), kind="stable")
    rows, able, sides = rows[order], able[order], sides[order]
    free = np.ones(len(rows), bool)
    boxes, scores, points = [], [], []
    for i in range(len(rows)):
        if not free[i]:
            continue
        same = free & (metrics.iou_matrix(rows[i : i + 1, 3:7], rows[:, 3:7])[0] >= SAME_FACE)
        same[i] = True
        free &= ~same
        members = rows[same]
        useful = members[able[same]] if able[same].any() else members
        # The best of every pass votes; a second box of one pass is a double.
        _, first = np.unique(useful[:, 0] * 2 + useful[:, 1], return_index=True)
        votes = useful[first]
        weight = votes[:, 2:3] / votes[:, 2].sum()
        fitting = [s for s in rule.scales if rule.sides[0] <= sides[i] * s <= rule.sides[1]]
        count = max(len(votes), each * len(fitting))
        boxes.append((votes[:, 3:7] * weight).sum(0))
        points.append((votes[:, 7:] * weight).sum(0).reshape(5, 2))
        scores.append(rule.mean_share * votes[:, 2].sum() / count + (1 - rule.mean_share) * votes[:, 2].max())
    return Found(
        np.float32(boxes).reshape(-1, 4), np.float32(scores), np.float32(points).reshape(-1, 5, 2)
    ).suppressed()


def label_file(row):
    """Named by the picture's content: two folders may have an IMG_1.jpg each."""
    return FOLDER / f"{hashlib.md5(Path(row['path']).read_bytes()).hexdigest()}.npy"


def labels_of(row):
    """The fused labels of a picture in its stored pixels; None before `label.py` has seen it."""
    path = label_file(row)
    if not path.is_file():
        return None
    joined = FUSED / path.name
    if not joined.is_file():
        found = fused(np.load(path))
        FUSED.mkdir(parents=True, exist_ok=True)
        np.save(joined, np.hstack([found.boxes, found.scores[:, None], found.landmarks.reshape(-1, 10)]))
    rows = np.load(joined)
    return Found(rows[:, :4], rows[:, 4], rows[:, 5:].reshape(-1, 5, 2))


def joined_faces(row):
    """The annotated faces, with boxes and clearness by the labels that fit; doubtful labels are ignored faces."""
    found = labels_of(row)
    if found is None or not row["faces"]:
        return row["faces"]
    faces = [{**face, "clear": UNSEEN_CLEAR} for face in row["faces"]]
    truth = np.float32([face["box"] for face in faces])
    overlaps = metrics.iou_matrix(found.boxes, truth)
    taken = set()
    for i in np.argsort(-found.scores, kind="stable"):
        best = int(np.argmax(overlaps[i]))
        if overlaps[i, best] >= ANNOTATED and best not in taken:
            taken.add(best)
            mean = (truth[best] + found.boxes[i]) / 2
            faces[best].update(box=mean.tolist(), clear=UNSEEN_CLEAR + (1 - UNSEEN_CLEAR) * float(found.scores[i]))
        elif found.scores[i] >= DOUBTFUL and overlaps[i].max() < 0.1:
            faces.append({"box": found.boxes[i].tolist(), "ignore": True})
    return faces


def all_rows(shared):
    """Held-out pictures first: choices need them."""
    train = shared / "face" / "train"
    return [r for held in (True, False) for read in (dataset.annotations, dataset.faceless) for r in read(train, held)]


def measure(rows):
    """AP of the passes of the pictures seen so far, by size of the faces."""
    bands = {"all": (0, 1e9), "8-16": (8, 16), "16-32": (16, 32), "32-64": (32, 64), "64+": (64, 1e9)}
    rules = {f"one pass at {s}": Rule((s,), False, (0, 1e9), 1.0) for s in SCALES}
    for low in (4, 6, 9):
        for high in (360, 640):
            rules[f"fused {low}-{high}"] = Rule(sides=(low, high))
    for share in (0.5, 0.85, 1.0):
        rules[f"fused, mean {share}"] = Rule(mean_share=share)
    candidates = [np.load(label_file(row)) for row in rows]
    print(f"{len(rows)} pictures" + "".join(f"{name:>8}" for name in bands))
    for name, rule in rules.items():
        found = [(f.boxes, f.scores) for f in (fused(c, rule) for c in candidates)]

        def ap(low, high, found=found):
            def wanted(face):
                return low <= metrics.longer_side(face) < high

            return 100 * metrics.subset_ap(rows, found, wanted)

        print(f"{name:<22}" + "".join(f"{ap(*band):>8.1f}" for band in bands.values()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=int, metavar="N", help="the first N labelled pictures with faces")
    args = parser.parse_args()
    shared = dataset.training_data()
    rows = all_rows(shared)
    if args.measure:
        measure([r for r in rows if r["faces"] and label_file(r).is_file()][: args.measure])
        return
    cv2.setNumThreads(1)
    teacher = AdaptedYunet(dataset.teacher_file(shared))
    FOLDER.mkdir(parents=True, exist_ok=True)
    todo = [row for row in rows if not label_file(row).is_file()]
    for i, row in enumerate(todo):
        found = passes(teacher, dataset.read_rgb(row["path"]))
        partial = label_file(row).with_suffix(".tmp")
        with partial.open("wb") as file:
            np.save(file, found)
        partial.replace(label_file(row))
        if (i + 1) % 50 == 0:
            print(f"{i + 1} of {len(todo)} pictures", flush=True)


if __name__ == "__main__":
    main()
