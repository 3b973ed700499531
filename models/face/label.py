"""Labels better than one pass of the teacher: its passes over several scales, mirrored and tiled, fused by box voting.

    python label.py                 writes cache/fused, one file a picture; run it again and it goes on

The numbers below were chosen on training pictures; after changing one, delete what is there.
"""

import hashlib
from functools import reduce
from pathlib import Path

import cv2
import numpy as np

import dataset
import metrics
from detector import AdaptedYunet, Found, padded
from whole import whole

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "cache" / "fused"
SCALES = (0.5, 1.0, 1.5, 2.0, 3.0)  # of a picture whose longer side has at most 640 pixels
TILE, TILE_OVERLAP = 1280, 192  # pixels of the scaled picture; larger ones are looked at in tiles
LEAST_SCORE = 0.05
SAME_FACE = 0.5  # overlap of boxes of one face
SEEN_SIDES = 6, 640  # pixels of the pass: sides of the faces that a pass can see
MEAN_SHARE = 0.7  # of the mean over these passes; the rest is the maximum's
ANNOTATED = 0.4  # overlap of a label's box and an annotator's
UNSEEN_CLEAR = 0.5  # how clear an annotated face is that no pass of the teacher sees
DOUBTFUL = 0.4  # a label of this score without annotation is neither wanted nor punished


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
            boxes, scores, points = teacher(padded(part), LEAST_SCORE)
            some = Found(boxes, scores, points).suppressed()
            low, high = np.float32([left, top]), np.float32([left, top]) + part.shape[1::-1]
            # Another tile sees whole what this one cuts.
            cut = ((some.boxes[:, :2] < 2) & (low > 0)).any(1)
            cut |= ((some.boxes[:, 2:] + low > high - 2) & (high < np.float32([width, height]))).any(1)
            found.append(some.pick(~cut).moved(left, top))
    joined = reduce(Found.joined, found).suppressed()
    return Found(joined.boxes / scale, joined.scores, joined.landmarks / scale)


def passes(teacher, picture):
    """Rows of every pass: scale, whether mirrored, score, box, [N,7]."""
    rows = []
    mirror = np.ascontiguousarray(picture[:, ::-1])
    for scale in SCALES:
        for flip in (False, True):
            found = look(teacher, mirror if flip else picture, scale)
            if flip:
                found = found.mirrored(picture.shape[1])
            head = np.tile(np.float32([scale, flip]), (len(found.scores), 1))
            rows.append(np.hstack([head, found.scores[:, None], found.boxes]))
    return np.concatenate(rows).astype(np.float32)


def fused(rows):
    """Rows of box and score, [N,5], best first: boxes are means by score, scores say how many passes agree."""
    least, most = SEEN_SIDES
    sides = np.sqrt(metrics.area(rows[:, 3:7]))
    # A pass that shows a face too small or too large for the teacher says nothing about it.
    shown = sides * rows[:, 0]
    able = (shown >= least) & (shown <= most)
    order = np.argsort(-(rows[:, 2] + able), kind="stable")
    rows, able, sides = rows[order], able[order], sides[order]
    free = np.ones(len(rows), bool)
    boxes, scores = [], []
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
        fitting = [s for s in SCALES if least <= sides[i] * s <= most]
        count = max(len(votes), 2 * len(fitting))  # mirrored, too
        boxes.append((votes[:, 3:7] * weight).sum(0))
        scores.append(MEAN_SHARE * votes[:, 2].sum() / count + (1 - MEAN_SHARE) * votes[:, 2].max())
    boxes, scores = np.float32(boxes).reshape(-1, 4), np.float32(scores)
    return np.column_stack([boxes, scores])[metrics.suppress(boxes, scores)]


def label_file(row):
    """Named by the picture's content: two folders may have an IMG_1.jpg each."""
    return FOLDER / f"{hashlib.md5(Path(row['path']).read_bytes()).hexdigest()}.npy"


def make_label(teacher, row):
    with whole(label_file(row)) as path, path.open("wb") as file:
        np.save(file, fused(passes(teacher, dataset.read_row(row)["picture"])))


def has_labels(faces):
    return any("clear" in face for face in faces)


def joined_faces(row):
    """The annotated faces of `read_row`, with boxes and clearness by the labels that fit; doubtful labels are ignored
    faces. As they are before `label.py` has seen the picture, and where `pack.py` has joined them."""
    path = label_file(row)
    if not row["faces"] or has_labels(row["faces"]) or not path.is_file():
        return row["faces"]
    rows = np.load(path)
    boxes, scores = rows[:, :4], rows[:, 4]
    faces = [{**face, "clear": UNSEEN_CLEAR} for face in row["faces"]]
    truth = np.float32([face["box"] for face in faces])
    overlaps = metrics.iou_matrix(boxes, truth)
    taken = set()
    for i in range(len(rows)):
        best = int(np.argmax(overlaps[i]))
        if overlaps[i, best] >= ANNOTATED and best not in taken:
            taken.add(best)
            mean = (truth[best] + boxes[i]) / 2
            faces[best].update(box=mean.tolist(), clear=UNSEEN_CLEAR + (1 - UNSEEN_CLEAR) * float(scores[i]))
        elif scores[i] >= DOUBTFUL and overlaps[i].max() < 0.1:
            faces.append({"box": boxes[i].tolist(), "ignore": True})
    return faces


def main():
    shared = dataset.training_data()
    cv2.setNumThreads(1)
    teacher = AdaptedYunet(dataset.teacher_file(shared))
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = dataset.annotations(shared / "face" / "train", held_out=False)
    todo = [row for row in rows if not label_file(row).is_file()]
    for i, row in enumerate(todo):
        make_label(teacher, row)
        if (i + 1) % 50 == 0:
            print(f"{i + 1} of {len(todo)} pictures", flush=True)


if __name__ == "__main__":
    main()
