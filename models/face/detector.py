"""The detector as it is served: one ONNX session by contract and the cascade of `cascade.py`."""

import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import onnxruntime

from cascade import CascadeRule
from metrics import suppress

HERE = Path(__file__).resolve().parent
CANDIDATE_SCORE = 0.02
MAX_CANDIDATES = 1500


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


def single_pass(detector, picture, scale, min_score):
    """Candidates in picture pixels, and the milliseconds of inference."""
    image = scaled(picture, scale)
    start = time.perf_counter()
    boxes, scores, landmarks = detector(image, min_score)
    milliseconds = (time.perf_counter() - start) * 1000
    return Found(boxes / scale, scores, landmarks / scale), milliseconds


def scaled(picture, scale):
    """The picture resized, padded with zeros to multiples of 32."""
    if scale != 1:
        size = [max(1, round(side * scale)) for side in picture.shape[1::-1]]
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
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
        return np.sqrt(np.prod(np.maximum(self.boxes[:, 2:] - self.boxes[:, :2], 0), axis=1))

    def centres(self):
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2

    def joined(self, other):
        pairs = ((self.boxes, other.boxes), (self.scores, other.scores), (self.landmarks, other.landmarks))
        return Found(*(np.concatenate(pair) for pair in pairs))

    def moved(self, x, y):
        by = np.float32([x, y])
        return Found(self.boxes + np.tile(by, 2), self.scores, self.landmarks + by)


@dataclass
class Detections(Found):
    passes: int
    milliseconds: float  # inference alone, all passes


def detect(detector, picture, rule=CascadeRule(), second=True, min_score=CANDIDATE_SCORE):
    """Both passes by the rule; `second=False` stops after the first."""
    height, width = picture.shape[:2]
    scale = rule.first_scale(width, height)
    found, spent = single_pass(detector, picture, scale, min_score)
    first = found.suppressed()
    region = rule.region(first, width, height, scale) if second else None
    if region is None:
        return Detections(**vars(first), passes=1, milliseconds=spent)
    (left, top, right, bottom), zoom = region
    more, also = single_pass(detector, np.ascontiguousarray(picture[top:bottom, left:right]), zoom, min_score)
    final = rule.merge(first, more.suppressed().moved(left, top), region, width, height, scale)
    return Detections(**vars(final), passes=2, milliseconds=spent + also)
