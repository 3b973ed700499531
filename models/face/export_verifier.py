"""Writes the served ONNX file of the verifier from a checkpoint. Usage: python export_verifier.py CHECKPOINT [face-verifier.onnx]

Without a name it writes the served file, and checkpoints/verifier-resumable.pt to go on training from.
The crops are cut inside the graph, and the verifier's logit is weighed there with the detector's score.
"""

import argparse
import copy
import io
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

import graph as onnx_graph
from graph import GraphBuilder
from verifier import CONTEXT, SAMPLES, SIDE, Verifier, VerifierConfig, crops, logits

HERE = Path(__file__).resolve().parent
SERVED = HERE / "face-verifier.onnx"


def load_verifier(path):
    """The averaged network of a checkpoint and how its logit is weighed; see calibrate_verifier.py."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    network = Verifier(VerifierConfig.from_dict(saved["config"]))
    network.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in saved["ema"].items()})
    return network.eval(), saved.get("weights", {"verifier": 1.0, "detector": 0.0, "offset": 0.0})


class Logit(nn.Module):
    """What is served: no auxiliary values, and pixels already normalised."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, pixels):
        return self.network(pixels * 64 + 128)[0]


def fused_copy(network):
    """The same network with the normalisation inside the convolutions."""
    network = copy.deepcopy(network)
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential) and len(module) == 2 and isinstance(module[1], nn.BatchNorm2d):
            module[0], module[1] = fuse_conv_bn_eval(module[0], module[1]), nn.Identity()
    return network


def bare_network(network):
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            Logit(fused_copy(network)),
            torch.zeros(2, 3, SIDE, SIDE),
            buffer,
            input_names=["pixels"],
            output_names=["logits"],
            dynamic_axes={"pixels": {0: "count"}, "logits": {0: "count"}},
            opset_version=onnx_graph.OPSET,
            dynamo=False,
        )
    return onnx.load_from_string(buffer.getvalue())


def served_model(network, weights):
    core = bare_network(network)
    g = GraphBuilder("pre")
    # Transposed while a pixel is still one byte; what lies outside the picture is 0, black as in training.
    planes = g.add("Cast", g.add("Transpose", "image", perm=[0, 3, 1, 2]), to=TensorProto.FLOAT)
    low, high = g.add("Split", "boxes", g.constant([2, 2]), outputs=2, axis=1)
    centre = g.add("Mul", g.add("Add", low, high), g.constant(0.5, np.float32))
    sides = g.add("Max", g.add("Sub", high, low), g.constant(0, np.float32))
    area = g.add("ReduceProd", sides, axes=[1], keepdims=1)
    side = g.add("Sqrt", g.add("Max", area, g.constant(1, np.float32)))
    half = g.add("Mul", side, g.constant(CONTEXT / 2, np.float32))
    squares = g.add("Concat", g.add("Sub", centre, half), g.add("Add", centre, half), axis=1)
    count = g.add("Shape", "scores")
    first_picture = g.add("ConstantOfShape", count, value=helper.make_tensor("zero", TensorProto.INT64, [1], [0]))
    roi = {"output_height": SIDE, "output_width": SIDE, "sampling_ratio": SAMPLES, "mode": "avg"}
    cut = g.add("RoiAlign", planes, squares, first_picture, coordinate_transformation_mode="half_pixel", **roi)
    g.add("Mul", g.add("Sub", cut, g.constant(128, np.float32)), g.constant(1 / 64, np.float32), output="pixels")
    post = GraphBuilder("post")
    bounded = post.add("Clip", "scores", post.constant(1e-6, np.float32), post.constant(1 - 1e-6, np.float32))
    odds = post.add("Log", post.add("Div", bounded, post.add("Sub", post.constant(1, np.float32), bounded)))
    mine = post.add("Mul", "logits", post.constant(weights["verifier"], np.float32))
    theirs = post.add("Mul", odds, post.constant(weights["detector"], np.float32))
    both = post.add("Add", post.add("Add", mine, theirs), post.constant(weights["offset"], np.float32))
    post.add("Sigmoid", both, output="verified")
    return onnx_graph.make_model(
        [*g.nodes, *core.graph.node, *post.nodes],
        [
            onnx_graph.image_input(),
            helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["count", 4]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["count"]),
        ],
        [helper.make_tensor_value_info("verified", TensorProto.FLOAT, ["count"])],
        [*g.constants.values(), *core.graph.initializer, *post.constants.values()],
        "face-verifier",
    )


def verify(path, network, weights):
    """Raises when the file does not say what the network says of crops that were cut by OpenCV."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    generator = np.random.default_rng(0)
    small = generator.integers(0, 256, (12, 16, 3)).astype(np.uint8)
    image = np.ascontiguousarray(np.kron(small, np.ones((20, 20, 1), np.uint8)))
    boxes = np.float32([[40, 60, 90, 120], [200.5, 100, 260, 180], [100, 40, 190, 150], [-10, -10, 30, 40]])
    scores = np.float32([0.1, 0.5, 0.9, 0.3])
    got = session.run(None, {"image": image[None], "boxes": boxes, "scores": scores})[0]
    wanted = logits(network, crops(image, boxes)) * weights["verifier"]
    wanted = 1 / (1 + np.exp(-(wanted + weights["detector"] * np.log(scores / (1 - scores)) + weights["offset"])))
    assert np.abs(got - wanted).max() < 0.03, (got, wanted)  # OpenCV rounds to whole grey values
    none = session.run(None, {"image": image[None], "boxes": boxes[:0], "scores": scores[:0]})[0]
    assert none.shape == (0,)


def save_resumable(checkpoint, path):
    """The averaged network in half precision: small enough to be committed."""
    saved = torch.load(checkpoint, map_location="cpu", weights_only=True)
    network = {k: v.half() if v.is_floating_point() else v for k, v in saved["ema"].items()}
    torch.save({**saved, "model": network, "ema": network}, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("output", nargs="?", default=SERVED)
    args = parser.parse_args()
    network, weights = load_verifier(args.checkpoint)
    model = served_model(network, weights)
    onnx.checker.check_model(model)
    onnx.save(model, args.output)
    verify(args.output, network, weights)
    if args.output == SERVED:
        save_resumable(args.checkpoint, HERE / "checkpoints" / "verifier-resumable.pt")
    print(f"{args.output}: {Path(args.output).stat().st_size / 1e6:.2f} MB, contract holds")


if __name__ == "__main__":
    main()
