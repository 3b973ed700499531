"""Writes the served ONNX file from a checkpoint. Usage: python export.py CHECKPOINT [face-detector.onnx]

Without a name it writes the served file, and checkpoints/resumable.pt to go on training from.
"""

import argparse
import io
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch

import graph as onnx_graph
from checkpoint import load_checkpoint, save_checkpoint
from detector import Detector
from graph import GraphBuilder
from network import STRIDES, plain, unframed
from whole import whole

HERE = Path(__file__).resolve().parent
SERVED = HERE / "face-detector.onnx"


def bare_network(network):
    """The network alone as ONNX: `pixels` [1,3,H,W] normalised to one [1,15,h,w] a stride."""
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # The TorchScript exporter is enough for plain convolutions and needs no further package.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            plain(network),
            torch.zeros(1, 3, 64, 96),
            buffer,
            input_names=["pixels"],
            output_names=[f"level{s}" for s in STRIDES],
            dynamic_axes={"pixels": {2: "height", 3: "width"}},
            opset_version=onnx_graph.OPSET,
            dynamo=False,
        )
    return onnx.load_from_string(buffer.getvalue())


def served_model(network, calibration):
    """The network with pixels in and decoded candidates out."""
    core = bare_network(network)
    g = GraphBuilder("pre")
    # Dequantising is the normalisation (x - 128) / 64 in one step; transposed while a pixel is still one byte.
    planes = g.add("Transpose", "image", perm=[0, 3, 1, 2])
    g.add("DequantizeLinear", planes, g.constant(1 / 64, np.float32), g.constant(128, np.uint8), output="pixels")
    post = GraphBuilder("post")
    levels = []
    for stride in STRIDES:
        name = f"level{stride}"
        width = post.add("Slice", post.add("Shape", name), post.constant([3]), post.constant([4]))
        cells = post.add("Reshape", name, post.constant([15, -1]))
        logit, rest = post.add("Split", cells, post.constant([1, 14]), outputs=2, axis=0)
        flat = post.add("Squeeze", logit, post.constant([0]))
        scaled = post.add("Mul", flat, post.constant(calibration["scale"], np.float32))
        scores = post.add("Sigmoid", post.add("Add", scaled, post.constant(calibration["offset"], np.float32)))
        levels.append(onnx_graph.decode_level(post, scores, rest, width, stride))
    onnx_graph.join_levels(post, levels)
    return onnx_graph.make_model(
        [*g.nodes, *core.graph.node, *post.nodes],
        [onnx_graph.IMAGE, onnx_graph.MIN_SCORE],
        onnx_graph.DETECTIONS,
        [*g.constants.values(), *core.graph.initializer, *post.constants.values()],
        "face-detector",
    )


def verify(path):
    """Runs the file at several sizes and with nothing to find; raises when the contract is broken."""
    detector = Detector(path)
    generator = np.random.default_rng(0)
    for height, width, least in ((64, 96, 0.0), (320, 224, 0.3), (448, 640, 0.02), (32, 32, 2.0)):
        image = generator.integers(0, 256, (height, width, 3), dtype=np.uint8)
        boxes, scores, points = detector(image, least)
        cells = sum((height // s) * (width // s) for s in STRIDES)
        count = len(scores)
        assert boxes.shape == (count, 4) and points.shape == (count, 5, 2), (boxes.shape, points.shape)
        assert np.isfinite(boxes).all() and np.isfinite(points).all()
        assert least > 0 or count == cells, (count, cells)
        assert least < 2 or count == 0


def save_resumable(path, network, calibration):
    """In half precision, small enough to be committed."""
    save_checkpoint(path, unframed(network).half(), calibration)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("output", nargs="?", default=SERVED)
    args = parser.parse_args()
    network, calibration = load_checkpoint(args.checkpoint)
    model = served_model(network, calibration)
    onnx.checker.check_model(model)
    with whole(args.output) as path:
        onnx.save(model, path)
        verify(path)
    if args.output == SERVED:
        save_resumable(HERE / "checkpoints" / "resumable.pt", network, calibration)
    print(f"{args.output}: {Path(args.output).stat().st_size / 1e6:.2f} MB, contract holds")


if __name__ == "__main__":
    main()
