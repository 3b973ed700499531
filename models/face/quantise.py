"""Turns the verifier's graph into int8: half the time on processors with VNNI, a quarter of the file.

Activations are uint8 by tensor, weights int8 by channel in 7 bits: with 8, processors without VNNI overflow their 16-bit sums.
The ranges come from crops of training pictures.
"""

import random
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

import dataset
from square_crop import crops

PICTURES, FACES, OTHERS, SIDES = 150, 8, 6, (16, 150)  # the others are squares anywhere
BATCH = 64  # all of one size: the calibration joins them
PERCENTILE = 99.99
LARGEST_MEAN_ERROR = 0.1  # of the logit


def calibration_crops(shared):
    """Crops as the verifier sees them, of faces and of anything, the same at each call; a multiple of BATCH."""
    rng = random.Random(3)
    rows = dataset.annotations(shared / "face" / "train", held_out=False)
    found = []
    for row in map(dataset.read_row, rng.sample(rows, min(PICTURES, len(rows)))):
        boxes = [face["box"] for face in row["faces"] if not face["ignore"]][:FACES]
        height, width = row["picture"].shape[:2]
        for _ in range(OTHERS):
            side = min(rng.uniform(*SIDES), width, height)
            x, y = rng.uniform(0, width - side), rng.uniform(0, height - side)
            boxes.append([x, y, x + side, y + side])
        found.append(crops(row["picture"], np.float32(boxes)))
    found = np.concatenate(found)
    return found[: len(found) // BATCH * BATCH]


class Batches(CalibrationDataReader):
    def __init__(self, pixels):
        self.rest = iter(feeds(part) for part in np.split(pixels, len(pixels) // BATCH))

    def get_next(self):
        return next(self.rest, None)


def feeds(pixels):
    return {"crops": pixels, "scores": np.full(len(pixels), 0.5, np.float32)}


def quantised(model, pixels):
    """The same graph with its convolutions and linear layers in int8, by the ranges of `pixels` [N,64,64,3], N a multiple of BATCH."""
    kinds = {"Conv", "Gemm", "MatMul", "Add", "Relu"}
    # What weighs the logit with the detector's score stays in floats.
    network = [n.name for n in model.graph.node if n.op_type in kinds and not n.name.startswith("post")]
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "float.onnx", Path(folder) / "int8.onnx"
        onnx.save(model, before)
        quantize_static(
            before,
            after,
            Batches(pixels),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=network,
            calibrate_method=CalibrationMethod.Percentile,
            extra_options={"CalibPercentile": PERCENTILE},
        )
        return onnx.load(after)


def mean_error(model, other, pixels):
    """How far the logits of two graphs are apart, in the mean."""
    import onnxruntime

    def logits(graph):
        session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        found = np.concatenate([session.run(None, feeds(part))[0] for part in np.split(pixels, len(pixels) // BATCH)])
        return np.log(found / (1 - found))

    return float(np.abs(logits(model) - logits(other)).mean())
