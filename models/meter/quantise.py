"""Eight bits for the reader's convolutions, half of its time where a CPU has instructions for them.

Seven bits of a weight are used, so that no CPU's 16-bit sums overflow: every machine reads the same. The first
convolution sees pixels, the last ones put the digits in order: in eight bits they lose what can be read.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

from data import CACHE, HERE, photos_of
from geometry import expand, turned

PHOTOS = 150
CONVOLUTIONS = slice(1, 6)


class Strips(CalibrationDataReader):
    """Labelled counters of training photos as the service cuts them, upright and upside down."""

    def __init__(self):
        photos = [p for p in photos_of(CACHE / "real") if p.quad is not None]
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


def quantise(path: Path) -> None:
    """Replaces an exported reader."""
    convolutions = [n.name for n in onnx.load(str(path)).graph.node if n.op_type == "Conv"]
    quantize_static(
        str(path),
        str(path),
        Strips(),
        op_types_to_quantize=["Conv", "MaxPool"],
        nodes_to_exclude=[name for name in convolutions if name not in convolutions[CONVOLUTIONS]],
        per_channel=True,
        reduce_range=True,
        activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
