"""The detector as it is served: one ONNX session by contract and the cascade of `cascade.py`."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

from cascade import CascadeRule
from metrics import SAME_FACE, area, iou_matrix, suppress
from tint import tinted

HERE = Path(__file__).resolve().parent
CANDIDATE_SCORE = 0.02
MAX_CANDIDATES = 3000
MAX_CLOSE_UPS = 16  # of the largest doubtful faces


def settings_of(model):
    """(default score, cascade rule) of a model, by models/manifest.json."""
    models = json.loads((HERE.parent / "manifest.json").read_text())["models"]
    settings = next(m["settings"] for m in models if m["name"] == model)
    # The scores are no part of the rule.
    del settings["redactionScore"]
    return settings.pop("defaultScore"), CascadeRule.of(settings)


SERVED_SCORE, SERVED_RULE = settings_of("face-detector")
TEACHER_SCORE, TEACHER_RULE = settings_of("yunet-n")


def single_thread(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Detector:
    """A model file of the contract."""

    def __init__(self, path):
        self.session = single_thread(path)

    def __call__(self, image, min_score):
        feeds = {"image": image[None], "min_score": np.float32([min_score])}
        return self.session.run(None, feeds)


class AdaptedYunet:
    """YuNet-n between its two adapter graphs."""

    def __init__(self, path):
        self.pre, self.model, self.post = (
            single_thread(p) for p in (HERE / "yunet-pre.onnx", path, HERE / "yunet-post.onnx")
        )
        self.names = [o.name for o in self.model.get_outputs()]

    def __call__(self, image, min_score):
        pixels, width = self.pre.run(None, {"image": image[None]})
        raw = dict(zip(self.names, self.model.run(None, {"input": pixels})))
        return self.post.run(None, {**raw, "image_width": width, "min_score": np.float32([min_score])})


def resized(picture, scale):
    if scale == 1:
        return picture
    size = [max(1, round(side * scale)) for side in picture.shape[1::-1]]
    return cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)


def padded(picture):
    """With zeros, to multiples of 32."""
    height, width = picture.shape[:2]
    image = np.zeros((-(-height // 32) * 32, -(-width // 32) * 32, 3), np.uint8)
    image[:height, :width] = picture
    return image


@dataclass
class Found:
    boxes: np.ndarray
    scores: np.ndarray
    landmarks: np.ndarray

    def pick(self, index):
        return Found(self.boxes[index], self.scores[index], self.landmarks[index])

    def suppressed(self):
        best = np.argsort(-self.scores, kind="stable")[:MAX_CANDIDATES]
        some = self.pick(best)
        return some.pick(suppress(some.boxes, some.scores))

    def sides(self):
        return np.sqrt(area(self.boxes))

    def centres(self):
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2

    def turned_back(self, turns, width, height):
        """Found in a picture of these sides that was turned by so many quarters counterclockwise (numpy.rot90)."""
        boxes, landmarks = self.boxes, self.landmarks
        for i in range(turns):
            side = width if (turns - i) % 2 else height  # before this turn, the side that became the height
            x1, y1, x2, y2 = boxes.T
            boxes = np.stack([side - y2, x1, side - y1, x2], 1)
            landmarks = np.stack([side - landmarks[..., 1], landmarks[..., 0]], -1)
        return Found(boxes, self.scores, landmarks)

    def mirrored(self, width):
        """Found in the mirror image of a picture of this width; the person's right eye is there where the left was."""
        x1, y1, x2, y2 = self.boxes.T
        landmarks = self.landmarks[:, [1, 0, 2, 4, 3]] * np.float32([-1, 1]) + np.float32([width, 0])
        return Found(np.stack([width - x2, y1, width - x1, y2], 1), self.scores, landmarks)

    def joined(self, other):
        pairs = ((self.boxes, other.boxes), (self.scores, other.scores), (self.landmarks, other.landmarks))
        return Found(*(np.concatenate(pair) for pair in pairs))

    def moved(self, x, y):
        by = np.float32([x, y])
        return Found(self.boxes + np.tile(by, 2), self.scores, self.landmarks + by)


def look(detector, picture, scale):
    """The faces that one look sees, in pixels of the picture."""
    copy = tinted(resized(np.ascontiguousarray(picture), scale))
    boxes, scores, landmarks = detector(padded(copy), CANDIDATE_SCORE)
    return Found(boxes / scale, scores, landmarks / scale).suppressed()


def with_close_ups(detector, picture, found, rule, scale):
    """Doubtful candidates by two looks at each, one mirrored, in pixels of the overview, turned as its eyes say."""
    overview = resized(picture, scale)
    height, width = overview.shape[:2]
    scores = found.scores.copy()
    doubtful = np.flatnonzero(rule.is_doubtful(found, scale))
    for i in doubtful[np.argsort(-found.sides()[doubtful], kind="stable")][:MAX_CLOSE_UPS]:
        (left, top, right, bottom), zoom = rule.close_up(found.boxes[i] * scale, width, height)
        across, down = found.landmarks[i, 1] - found.landmarks[i, 0]
        turns = round(np.degrees(np.arctan2(down, across)) / 90) % 4
        part = np.rot90(overview[top:bottom, left:right], turns)
        mirror = look(detector, part[:, ::-1], zoom).mirrored(part.shape[1])
        both = look(detector, part, zoom).joined(mirror)
        seen = both.turned_back(turns, right - left, bottom - top).moved(left, top)
        same = iou_matrix(found.boxes[i : i + 1] * scale, seen.boxes)[0] >= SAME_FACE
        scores[i] = rule.with_close_up(scores[i], max(seen.scores[same], default=0))
    return replace(found, scores=scores)


def detect(detector, picture, rule=SERVED_RULE):
    """All looks by the rule."""
    height, width = picture.shape[:2]
    scale = rule.overview_scale(width, height)
    first_scale = scale * rule.glance_scale
    found = look(detector, picture, first_scale)
    if not rule.suffices(found, scale):
        found, first_scale = rule.add_glance(look(detector, picture, scale), found, scale), scale
    if rule.may_be_turned(found):

        def look_turned(turns, at):
            return look(detector, np.rot90(picture, turns), at).turned_back(turns, width, height)

        glances = [look_turned(turns, scale * rule.glance_scale) for turns in (1, 2, 3)]
        lying = rule.quarter(found, glances, scale)
        for glance in glances:
            found = rule.add_turned(found, glance, scale, rule.turned_score)
        if lying is not None:
            found = rule.add_turned(found, look_turned(lying + 1, scale), scale, rule.sure_score)
    region = rule.region(found, width, height, scale, first_scale)
    if region:
        (left, top, right, bottom), zoom = region
        part = picture[top:bottom, left:right]
        second = look(detector, part, zoom)
        if rule.mirror_scale:
            mirror = look(detector, part[:, ::-1], zoom * rule.mirror_scale)
            second = rule.with_mirror(second, mirror.mirrored(right - left))
        found = rule.merge(found, second.moved(left, top), region, width, height, scale)
    return with_close_ups(detector, picture, found, rule, scale)
