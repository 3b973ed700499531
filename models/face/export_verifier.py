"""Writes the served ONNX file of the verifier from a checkpoint. Usage: python export_verifier.py CHECKPOINT [face-verifier.onnx]

Without a name it writes the served file, and checkpoints/verifier-resumable.pt to go on training from.
The verifier's logit is weighed with the detector's score inside the graph. The file is in int8 (`quantise.py`).
"""

import argparse
import copy
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

import dataset
import graph as onnx_graph
from export import as_floats, save_resumable
from graph import GraphBuilder
from quantise import LARGEST_MEAN_ERROR, calibration_crops, mean_error, quantised
from square_crop import SIDE
from verifier import Verifier, VerifierConfig, logits

HERE = Path(__file__).resolve().parent
SERVED = HERE / "face-verifier.onnx"


def load_verifier(path):
    """The averaged network of a checkpoint and how its logit is weighed; see calibrate_verifier.py."""
    saved = torch.load(path, map_location="cpu", weights_only=True)
    network = Verifier(VerifierConfig.from_dict(saved["config"]))
    network.load_state_dict(as_floats(saved["ema"]))
    return network.eval(), saved.get("weights", {"verifier": 1.0, "detector": 0.0, "offset": 0.0})


class Logit(nn.Module):
    """What is served: no auxiliary values."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, pixels):
        return self.network(pixels)[0]


def fused_copy(network):
    """The same network with the normalisation inside the convolutions."""
    network = copy.deepcopy(network)
    for module in list(network.modules()):
        if isinstance(module, nn.Sequential) and len(module) == 2 and isinstance(module[1], nn.BatchNorm2d):
            module[0], module[1] = fuse_conv_bn_eval(module[0], module[1]), nn.Identity()
    return network


def bare_network(network):
    """The network alone as ONNX: `pixels` [N,3,64,64] normalised to `logits` [N]."""
    axes = {"pixels": {0: "count"}, "logits": {0: "count"}}
    return onnx_graph.traced(Logit(fused_copy(network)), torch.zeros(2, 3, SIDE, SIDE), ["logits"], axes)


def served_model(network, weights):
    core = bare_network(network)
    g = GraphBuilder("pre")
    # Dequantising is the normalisation (x - 128) / 64 in one step; transposed while a pixel is still one byte.
    planes = g.add("Transpose", "crops", perm=[0, 3, 1, 2])
    g.add("DequantizeLinear", planes, g.constant(1 / 64, np.float32), g.constant(128, np.uint8), output="pixels")
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
            helper.make_tensor_value_info("crops", TensorProto.UINT8, ["count", SIDE, SIDE, 3]),
            helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["count"]),
        ],
        [helper.make_tensor_value_info("verified", TensorProto.FLOAT, ["count"])],
        [*g.constants.values(), *core.graph.initializer, *post.constants.values()],
        "face-verifier",
    )


def verify(model, network, weights):
    """Raises when the graph, in floats, does not say what the network says."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    pixels = np.random.default_rng(0).integers(0, 256, (4, SIDE, SIDE, 3)).astype(np.uint8)
    scores = np.float32([0.1, 0.5, 0.9, 0.3])
    got = session.run(None, {"crops": pixels, "scores": scores})[0]
    wanted = logits(network, pixels) * weights["verifier"]
    wanted = 1 / (1 + np.exp(-(wanted + weights["detector"] * np.log(scores / (1 - scores)) + weights["offset"])))
    assert np.abs(got - wanted).max() < 1e-3, (got, wanted)
    none = session.run(None, {"crops": pixels[:0], "scores": scores[:0]})[0]
    assert none.shape == (0,)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("output", nargs="?", default=SERVED)
    args = parser.parse_args()
    network, weights = load_verifier(args.checkpoint)
    model = served_model(network, weights)
    verify(model, network, weights)
    pixels = calibration_crops(dataset.shared_dir())
    served = quantised(model, pixels)
    onnx.checker.check_model(served)
    error = mean_error(model, served, pixels)
    assert error < LARGEST_MEAN_ERROR, error
    onnx.save(served, args.output)
    if args.output == SERVED:
        save_resumable(args.checkpoint, HERE / "checkpoints" / "verifier-resumable.pt")
    print(f"{args.output}: {Path(args.output).stat().st_size / 1e6:.2f} MB, contract holds, logits {error:.3f} from those in floats")


if __name__ == "__main__":
    main()
