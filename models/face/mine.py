"""Finds what the verifier is to learn from: the boxes that detectors propose on the training pictures.

A proposal that lies on no annotated face is an example of what resembles a face; one that lies on a face shows where
detectors put their boxes. Every picture is seen at several sizes, since a detector errs differently at each.
"""

from dataclasses import dataclass

import cv2
import numpy as np

import dataset
import metrics
from detector import AdaptedYunet, Detector, Passes

SCALES = (0.4, 0.7, 1.0, 1.5)
MOST_PIXELS = 1_000_000
LEAST_SCORE, LEAST_TEACHER_SCORE = 0.01, 0.03
SURE_TEACHER_SCORE = 0.55  # a proposal of this score on no annotated face may be a face that nobody annotated
HIT, MISS = 0.5, 0.3  # overlap with an annotated face; between them is neither
LEAST_SIDE = 5  # pixels of the stored picture
MOST_MISSES = 150  # a picture


@dataclass
class Mined:
    """The examples of one picture, boxes in its pixels."""

    picture: np.ndarray
    faces: np.ndarray  # [F,4] annotated
    landmarks: np.ndarray  # [F,10] the teacher's; NaN where it has none
    hits: np.ndarray  # [P,5] box and index of the face
    misses: np.ndarray  # [N,5] box and the detector's score
    teacher_faces: np.ndarray  # [F] the teacher's best score of a box on the face, 0 where it has none
    teacher_hits: np.ndarray  # [P]
    teacher_misses: np.ndarray  # [N]


def proposals(detector, picture, least):
    """(boxes, scores, landmarks) of all sizes together, not suppressed across them."""
    parts = []
    for scale in SCALES:
        if picture.shape[0] * picture.shape[1] * scale**2 <= MOST_PIXELS:
            found = Passes(detector, least).look(picture, scale)
            parts.append((found.boxes, found.scores, found.landmarks))
    return [np.concatenate(column) for column in zip(*parts)]


def mine(row, detector, teacher):
    picture = row["picture"]
    known = np.float32([f["box"] for f in row["faces"]]).reshape(-1, 4)
    wanted = np.array([not f["ignore"] for f in row["faces"]], bool)
    faces = known[wanted & (np.sqrt(metrics.area(known)) >= LEAST_SIDE)]
    boxes, scores, _ = proposals(detector, picture, LEAST_SCORE)
    sure, sure_scores, points = proposals(teacher, picture, LEAST_TEACHER_SCORE)
    landmarks = np.full((len(faces), 10), np.nan, np.float32)
    for i, row_iou in enumerate(metrics.iou_matrix(faces, sure) if len(sure) else ()):
        best = np.argmax(row_iou * (sure_scores >= 0.3))
        if row_iou[best] >= HIT and sure_scores[best] >= 0.3:
            landmarks[i] = points[best].reshape(-1)
    proposed = sure_scores >= 0.1
    boxes, scores = np.concatenate([boxes, sure[proposed]]), np.concatenate([scores, sure_scores[proposed] * 0.5])
    big = np.sqrt(metrics.area(boxes)) >= LEAST_SIDE
    boxes, scores = boxes[big], scores[big]
    on_face = metrics.iou_matrix(boxes, faces) if len(faces) else np.zeros((len(boxes), 1))
    hit = on_face.max(1) >= HIT
    hits = np.concatenate([boxes[hit], on_face[hit].argmax(1)[:, None]], 1)
    miss = metrics.iou_matrix(boxes, known).max(1) < MISS if len(known) else np.ones(len(boxes), bool)
    doubtful = sure[sure_scores >= SURE_TEACHER_SCORE] if row["faces"] else sure[:0]
    if len(doubtful):
        miss &= metrics.iou_matrix(boxes, doubtful).max(1) < MISS
    boxes, scores = boxes[miss], scores[miss]
    kept = metrics.suppress(boxes, scores, 0.7)[:MOST_MISSES]
    misses = np.concatenate([boxes[kept], scores[kept, None]], 1)
    known_by_teacher = [best_score(some[:, :4], sure, sure_scores) for some in (faces, hits, misses)]
    return Mined(picture, faces, landmarks, hits.astype(np.float32), misses.astype(np.float32), *known_by_teacher)


def best_score(boxes, found, scores):
    """[N] the best score among `found` that lie on each box."""
    if not len(boxes) or not len(found):
        return np.zeros(len(boxes), np.float32)
    return (scores * (metrics.iou_matrix(boxes.astype(np.float32), found) >= HIT)).max(1).astype(np.float32)


def faceless_rows(shared):
    train = shared / "face" / "train"
    return dataset.faceless(train, held_out=False) + dataset.meters(shared / "meter" / "train", held_out=False)


def mine_all(shared, detector_file, log=print):
    """Every training picture's examples; about ten minutes on a CPU."""
    cv2.setNumThreads(1)
    detector, teacher = Detector(detector_file), AdaptedYunet(dataset.teacher_file(shared))
    rows = dataset.annotations(shared / "face" / "train", held_out=False) + faceless_rows(shared)
    mined = []
    for i, row in enumerate(rows):
        mined.append(mine(dataset.read_row(row), detector, teacher))
        if (i + 1) % 200 == 0:
            log(f"{i + 1} of {len(rows)} pictures, {sum(len(m.misses) for m in mined)} misses, {sum(len(m.hits) for m in mined)} hits")
    return mined
