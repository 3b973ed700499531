"""Detection metrics: WIDER's average precision, recall, false faces. No files, no models here."""

import numpy as np

MATCH_IOU = 0.5
SAME_FACE = 0.45  # overlap of two boxes that the detector sees


def longer_side(face):
    x1, y1, x2, y2 = face["box"]
    return max(x2 - x1, y2 - y1)


def area(boxes):
    return np.maximum(boxes[..., 2] - boxes[..., 0], 0) * np.maximum(boxes[..., 3] - boxes[..., 1], 0)


def iou_matrix(a, b):
    """[A,4] and [B,4] to [A,B]."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=-1)
    return shared / (area(a)[:, None] + area(b)[None] - shared + 1e-9)


def suppress(boxes, scores):
    """Greedy non-maximum suppression; indices kept, best first."""
    order = np.argsort(-scores, kind="stable")
    kept = []
    while len(order):
        first, rest = order[0], order[1:]
        kept.append(first)
        order = rest[iou_matrix(boxes[first : first + 1], boxes[rest])[0] < SAME_FACE]
    return np.array(kept, np.int64)


def match(truth, wanted, boxes, scores):
    """WIDER's protocol in one picture: (score, hit) of every detection that counts.

    Best first, each detection takes the free face it overlaps most; on one that is not wanted in this subset, it is
    neither hit nor miss.
    """
    if not len(truth):
        return [(score, 0) for score in scores]
    results = []
    used = np.zeros(len(truth), bool)
    overlaps = iou_matrix(boxes, truth)
    for i in np.argsort(-scores, kind="stable"):
        row = overlaps[i]
        free = np.where(used, 0, row)
        best, nearest = int(np.argmax(free)), int(np.argmax(row))
        if free[best] >= MATCH_IOU and wanted[best]:
            used[best] = True
            results.append((scores[i], 1))
        elif row[nearest] < MATCH_IOU or wanted[nearest]:
            results.append((scores[i], 0))
    return results


def match_all(pictures, detections, is_wanted=lambda face: True):
    """`match` of every picture, and how many faces are wanted: those of `is_wanted(face)` that are not ignored.

    detections: (boxes, scores) of each picture.
    """
    results, positives = [], 0
    for picture, (boxes, scores) in zip(pictures, detections):
        truth = np.float32([f["box"] for f in picture["faces"]]).reshape(-1, 4)
        wanted = np.array([bool(is_wanted(f)) and not f["ignore"] for f in picture["faces"]], bool)
        positives += int(wanted.sum())
        results += match(truth, wanted, boxes, scores)
    return results, positives


def average_precision(results, positives):
    """Area under the interpolated precision-recall curve."""
    if not positives:
        return float("nan")
    results = sorted(results, key=lambda r: -r[0])
    hits = np.cumsum([hit for _, hit in results])
    recall = hits / positives
    precision = hits / np.arange(1, len(results) + 1)
    precision = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(np.concatenate([[0], recall])) * precision))


def precision_recall(pictures, detections, threshold):
    """Over all faces that are not ignored, at one score."""
    results, positives = match_all(pictures, [(boxes[s >= threshold], s[s >= threshold]) for boxes, s in detections])
    hits = sum(hit for _, hit in results)
    return hits / max(len(results), 1), hits / max(positives, 1)


def pictures_with_false_face(pictures, detections, threshold):
    """How many face-free pictures have any detection."""
    return sum(bool((s >= threshold).any()) for p, (_, s) in zip(pictures, detections) if not p["faces"])


def best_on(box, found, score):
    """Index of the detection of at least this score that overlaps the box most, and enough for a match; or None."""
    if not len(found.scores):
        return None
    overlap = np.where(found.scores >= score, iou_matrix(np.float32([box]), found.boxes)[0], 0)
    return int(np.argmax(overlap)) if overlap.max() >= MATCH_IOU else None
