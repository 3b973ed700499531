"""What the verifier is trained on: crops of faces, of what resembles them, and faces that nobody has."""

import math
import os
import random

import cv2
import numpy as np

import augment
import mine
from crop_effects import edge_through, face_mask, shaded
from metrics import area, iou_matrix
from square_crop import CONTEXT, COUNT, crop_matrix, sample, shrink, square

HIT_SHARE, NEAR_SHARE = 0.45, 0.05  # of a batch; the rest are misses
MORPH_SHARE, MORPH_SIDE = 0.3, 14  # of the faces with landmarks and of so many pixels
MORPH_ERROR = 0.15  # of the face's size: faces of another pose do not fit
SMALLER_SHARE, SMALLEST_SIDE = 0.4, 12
CUT_SHARE = 0.12  # of the examples, as if the picture ended in the box
SHADE_SHARE = 0.08  # of the examples: the upper part in the dark, as under a hat
UNSURE = 0.01  # no annotator is surer
# What the teacher's score says, by the held-out slice: probability = sigmoid(scale * logit + offset).
TEACHER_SCALE, TEACHER_OFFSET = 1.728, -0.655
TEACHER_SHARE = 0.5  # of the label; the rest is the annotation


def probability(scores):
    scores = np.clip(scores, 1e-3, 1 - 1e-3)
    return 1 / (1 + np.exp(-(TEACHER_SCALE * np.log(scores / (1 - scores)) + TEACHER_OFFSET)))


def label(is_face, known):
    return (1 - TEACHER_SHARE) * (1 - UNSURE if is_face else UNSURE) + TEACHER_SHARE * known


class Examples:
    """Draws crops: annotated faces, proposals on faces, parts of faces, and proposals on none."""

    def __init__(self, mined):
        self.pictures = [m.picture for m in mined]
        self.faces = [(i, box, points) for i, m in enumerate(mined) for box, points in zip(m.faces, m.landmarks)]
        first = np.cumsum([0] + [len(m.faces) for m in mined])
        self.hits = [(first[i] + int(hit[4]), hit[:4]) for i, m in enumerate(mined) for hit in m.hits]
        self.misses = [(i, miss[:4]) for i, m in enumerate(mined) for miss in m.misses]
        joined = lambda name: np.concatenate([getattr(m, name) for m in mined])
        self.face_known, self.hit_known, self.miss_known = (
            probability(joined(name)) for name in ("teacher_faces", "teacher_hits", "teacher_misses")
        )
        sides = np.float32([math.sqrt(area(box)) for _, box, _ in self.faces])
        # Tiny faces are most of WIDER and teach least; none is left out.
        odds = np.clip(sides / 24, 0.25, 1.5)
        self.face_odds = np.cumsum(odds)
        self.hit_odds = np.cumsum(odds[[face for face, _ in self.hits]])
        self.miss_odds = np.cumsum(0.15 + np.minimum(joined("misses")[:, 4], 0.5))
        self.sharp = [i for i, (*_, points) in enumerate(self.faces) if np.isfinite(points[0]) and sides[i] >= MORPH_SIDE]

    def draw(self, rng):
        """(disturbed and clean pixels [64,64,3], label, box and landmarks in sides of the face, NaN where unknown)."""
        dice = rng.random()
        if dice < HIT_SHARE / 2:
            index = pick(self.face_odds, rng)
            picture, box, _ = self.faces[index]
            known = self.face_known[index]
            return self.example(picture, jittered(box, rng, mine.HIT), rng, label(True, known), self.faces[index])
        if dice < HIT_SHARE:
            hit = pick(self.hit_odds, rng)
            index, box = self.hits[hit]
            return self.example(self.faces[index][0], box, rng, label(True, self.hit_known[hit]), self.faces[index])
        if dice < HIT_SHARE + NEAR_SHARE:
            picture, box, _ = self.faces[pick(self.face_odds, rng)]
            return self.example(picture, near(box, rng), rng, UNSURE)
        miss = pick(self.miss_odds, rng)
        picture, box = self.misses[miss]
        return self.example(picture, jittered(box, rng, 0.6), rng, label(False, self.miss_known[miss]))

    def batch(self, count, rng):
        pixels, clean, labels, auxiliary = zip(*(self.draw(rng) for _ in range(count)))
        return np.stack(pixels), np.stack(clean), np.float32(labels), np.stack(auxiliary)

    def example(self, picture_index, box, rng, label_, face=None):
        edge = edge_through(box, rng) if rng.random() < CUT_SHARE else None
        if edge:
            box = edge.cut(box)
        x, y, side = square(box)
        angle = rng.gauss(0, 0.2) if rng.random() < 0.4 else 0.0
        if rng.random() < 0.04:
            angle = rng.uniform(-math.pi, math.pi)
        mirrored = rng.random() < 0.5
        matrix = crop_matrix(x, y, side, angle, mirrored)
        samples = seen(self.pictures[picture_index], matrix, side, rng)
        if rng.random() < SHADE_SHARE:
            samples = shaded(samples, rng)
        auxiliary, rows = np.full(14, np.nan, np.float32), np.zeros((0, 5), np.float32)
        if face is not None:
            _, face_box, landmarks = face
            in_crop = box_in_crop(edge.cut(face_box) if edge else face_box, matrix)
            auxiliary[:4] = box_values(in_crop)
            rows = np.float32([[*in_crop, 0]])
            if np.isfinite(landmarks[0]):
                points = to_crop(landmarks.reshape(5, 2), matrix)
                if mirrored:
                    points = points[[1, 0, 2, 4, 3]]
                auxiliary[4:] = ((points / COUNT - 0.5) * CONTEXT).ravel()
                if rng.random() < MORPH_SHARE and math.sqrt(area(face_box)) >= MORPH_SIDE:
                    samples = self.morphed(samples, points, rng)
        if edge:
            samples[edge.beyond(matrix)] = 0
        disturbed = augment.disturb(samples, rows, rng)
        if edge:
            disturbed[edge.beyond(matrix)] = 0
        return shrink(disturbed), shrink(samples), np.float32(label_), auxiliary

    def morphed(self, samples, points, rng):
        """The crop mixed with another face that is laid on its landmarks: a face that nobody has."""
        picture, box, landmarks = self.faces[rng.choice(self.sharp)]
        theirs = landmarks.reshape(5, 2)
        # The least-squares similarity from the crop's landmarks to theirs.
        rows = np.concatenate([[[x, -y, 1, 0], [y, x, 0, 1]] for x, y in points])
        solved, *_ = np.linalg.lstsq(rows, theirs.ravel(), rcond=None)
        if np.abs(rows @ solved - theirs.ravel()).max() > MORPH_ERROR * math.sqrt(area(box)):
            return samples
        c, s, x, y = solved
        matrix = np.float64([[c, -s, x], [s, c, y]])
        matrix[:, 2] += matrix[:, :2] @ (0.5, 0.5) - 0.5
        step, other = math.hypot(c, s), self.pictures[picture]
        aligned = sample(cv2.blur(other, (int(step), int(step))) if step > 2 else other, matrix)
        share = rng.uniform(0.3, 0.7)
        if rng.random() < 0.5:
            return cv2.addWeighted(samples, 1 - share, aligned, share, 0)
        mask = face_mask(points) * rng.uniform(0.5, 1)  # the face alone, in its own surroundings
        return (samples * (1 - mask) + aligned * mask).astype(np.uint8)


def pick(cumulated, rng):
    return int(np.searchsorted(cumulated, rng.random() * cumulated[-1]))


def to_crop(points, matrix):
    """Points of the picture in samples of the crop."""
    return (points - 0.5 - matrix[:, 2]) @ np.linalg.inv(matrix[:, :2]).T + 0.5


def box_in_crop(box, matrix):
    """The box in samples, as large as it is and upright: a turned face is an ellipse, not a rectangle."""
    middle = to_crop((box[:2] + box[2:])[None] / 2, matrix)[0]
    half = (box[2:] - box[:2]) / 2 / np.linalg.norm(matrix[:, 0])
    return np.concatenate([middle - half, middle + half])


def box_values(box):
    """Offset of the centre and log sizes, in sides of the proposed box."""
    unit = COUNT / CONTEXT
    centre, size = (box[:2] + box[2:]) / 2 - COUNT / 2, box[2:] - box[:2]
    return [*(centre / unit), *np.log(size / unit)]


def seen(picture, matrix, side, rng):
    """The crop's samples, at times from a smaller copy of the picture."""
    least = SMALLEST_SIDE * CONTEXT
    if side <= 2 * least or rng.random() >= SMALLER_SHARE:
        return sample(picture, matrix)
    scale = math.exp(rng.uniform(math.log(max(0.12, least / side)), 0))
    corners = matrix @ np.float64([[0, COUNT, 0, COUNT], [0, 0, COUNT, COUNT], [1, 1, 1, 1]])
    x1, y1 = np.maximum(np.floor(corners.min(1)).astype(int) - 2, 0)
    x2, y2 = np.ceil(corners.max(1)).astype(int) + 3
    part = picture[y1:y2, x1:x2]
    if min(part.shape[:2]) < 5:
        return sample(picture, matrix)
    small = cv2.resize(part, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    by = np.float64([small.shape[1] / part.shape[1], small.shape[0] / part.shape[0]])
    moved = matrix.copy()
    moved[:, 2] -= (x1, y1)
    moved *= by[:, None]
    moved[:, 2] += (by - 1) / 2
    return sample(small, moved)


def jittered(box, rng, least):
    """The box moved and scaled by chance, overlapping itself by at least this much."""
    for _ in range(4):
        w, h = box[2] - box[0], box[3] - box[1]
        x, y = (box[0] + box[2]) / 2 + rng.gauss(0, 0.07) * w, (box[1] + box[3]) / 2 + rng.gauss(0, 0.07) * h
        w, h = w * math.exp(rng.gauss(0, 0.1)), h * math.exp(rng.gauss(0, 0.1))
        moved = np.float32([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
        if iou_matrix(moved[None], np.float32(box)[None])[0, 0] >= least:
            return moved
    return np.float32(box)


def near(box, rng):
    """A box that shows a part of a face, or a face and far too much around it."""
    side = math.sqrt(area(box))
    while True:
        scale = math.exp(rng.uniform(-1.1, 1.1))
        x = (box[0] + box[2]) / 2 + rng.uniform(-1, 1) * side
        y = (box[1] + box[3]) / 2 + rng.uniform(-1, 1) * side
        w, h = (box[2] - box[0]) * scale, (box[3] - box[1]) * scale
        moved = np.float32([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
        if iou_matrix(moved[None], np.float32(box)[None])[0, 0] < mine.MISS:
            return moved


def feed(examples, queue, count, seed):
    """A worker's loop."""
    os.nice(3)
    rng = random.Random(seed)
    cv2.setRNGSeed(seed % 2**31)
    while True:
        queue.put(examples.batch(count, rng))
