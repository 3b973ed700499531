"""Eight bits for the reader's convolutions, half of its time where a CPU has instructions for them.

Seven bits of a weight are used, so that no CPU's 16-bit sums overflow: every machine reads the same. The first
convolution sees pixels, the last ones put the digits in order: in eight bits they lose what can be read.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

from data import CACHE, HERE, LARGE, OWN, fold_of, photos_of
from geometry import expand, turned

PHOTOS = 150
CONVOLUTIONS = slice(1, 6)


def may_calibrate(photo, fold) -> bool:
    """Not what the network is measured on: photos of its fold, own ones that are held."""
    if photo.source.startswith(OWN):
        return not photo.held
    return photo.quad is not None and (photo.source in LARGE or fold_of(photo.source) != fold)


class Strips(CalibrationDataReader):
    """Labelled counters of training photos as the service cuts them, upright and upside down."""

    def __init__(self, fold):
        photos = [p for p in photos_of(CACHE / "real") if may_calibrate(p, fold)]
        rules = json.loads((HERE / "reader.json").read_text())
        self.feeds = (
            {
                "image": photo.pixels(0)[None],
                "quads": np.stack([expand(q, **c) for q in (photo.quad, turned(photo.quad)) for c in rules["crops"]]),
            }
            for photo in photos[:: max(1, len(photos) // PHOTOS)]
        )

    def get_next(self):
        return next(self.feeds, None)


def quantise(path: Path, fold: int | None) -> None:
    """Replaces an exported reader, which has not seen that fold of the small sources."""
    convolutions = [n.name for n in onnx.load(str(path)).graph.node if n.op_type == "Conv"]
    quantize_static(
        str(path),
        str(path),
        Strips(fold),
        op_types_to_quantize=["Conv", "MaxPool"],
        nodes_to_exclude=[name for name in convolutions if name not in convolutions[CONVOLUTIONS]],
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
