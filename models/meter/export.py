"""Export the networks: writes meter-*.onnx and checks them against torch.

python export.py [--locate runs/locate.pt ...]
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import torch

from data import HERE, RUNS
from graphs import LocateGraph, MarkGraph, ReadGraph, RefineGraph
from nets import LOCATE_SIZE, Digit, Locate, Mark, Read, Refine, halved
from quantise import quantise
from whole import whole

OPSET = 17
NETWORKS = {"locate": Locate, "refine": Refine, "read": Read, "mark": Mark, "digit": Digit}
# Of each file: its graph, the networks in it, and its outputs.
FILES = {
    "locate": (LocateGraph, ["locate"], ["quads", "scores"]),
    "refine": (RefineGraph, ["refine"], ["corners", "upside_down", "scores"]),
    "read": (ReadGraph, ["read"], ["probs", "legible"]),
    "mark": (MarkGraph, ["mark", "digit"], ["fraction", "wheel", "digit"]),
}


def halve_weights(model: onnx.ModelProto) -> None:
    """Store large weights once and as float16, cast back by the session: half the file, float32 arithmetic."""
    graph, nodes, kept, stored = model.graph, [], [], {}
    for t in graph.initializer:
        array = onnx.numpy_helper.to_array(t)
        if array.dtype != np.float32 or array.size < 256:
            kept.append(t)
            continue
        half = array.astype(np.float16)
        name = stored.setdefault((half.tobytes(), half.shape), f"{t.name}_f16")
        if name == f"{t.name}_f16":
            kept.append(onnx.numpy_helper.from_array(half, name))
        nodes.append(onnx.helper.make_node("Cast", [name], [t.name], to=onnx.TensorProto.FLOAT))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for i, n in enumerate(nodes):
        graph.node.insert(i, n)


def load(name, checkpoint):
    """The network, rounded to half precision, which makes the check against torch exact about what is stored."""
    net, saved = NETWORKS[name](), torch.load(checkpoint, map_location="cpu")
    net.load_state_dict(halved(saved["average"]))
    print(f"{name}: step {saved['step']}")
    return net


def export(graph, inputs, outputs, path):
    """`inputs` by name; where there are quads, the size of the picture and their count may be any."""
    graph.eval()
    dynamic = None
    if "quads" in inputs:
        dynamic = {"image": {1: "height", 2: "width"}, "quads": {0: "count"}}
        dynamic |= {output: {0: "count"} for output in outputs if output != "fraction"}
    torch.onnx.export(
        graph,
        tuple(inputs.values()),
        str(path),
        input_names=list(inputs),
        output_names=outputs,
        dynamic_axes=dynamic,
        opset_version=OPSET,
        dynamo=False,
    )
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    got = session.run(None, {name: value.numpy() for name, value in inputs.items()})
    with torch.no_grad():
        want = [v.numpy() for v in graph(*inputs.values())]
    print(f"largest difference to torch {max(float(np.abs(a - b).max()) for a, b in zip(got, want)):.1e}")


def shrink(path):
    model = onnx.load(str(path))
    halve_weights(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    print(f"{path.stem}: {path.stat().st_size / 1e6:.2f} MB")


def main():
    parser = argparse.ArgumentParser()
    for name in NETWORKS:
        parser.add_argument(f"--{name}", type=Path, default=RUNS / f"{name}.pt")
    parser.add_argument("--out", type=Path, default=HERE)
    parser.add_argument("--fold", type=int, help="of the small sources, which the networks have not seen")
    args = parser.parse_args()
    torch.manual_seed(1)
    args.out.mkdir(parents=True, exist_ok=True)
    picture = torch.randint(0, 256, (1, 375, 500, 3), dtype=torch.uint8)
    square = torch.randint(0, 256, (1, LOCATE_SIZE, LOCATE_SIZE, 3), dtype=torch.uint8)
    quads = [[[100.0, 100], [300, 110], [298, 150], [98, 140]], [[20.0, 20], [480, 20], [480, 90], [20, 90]]]
    quads = torch.tensor(quads).repeat(3, 1, 1)
    for name, (graph, networks, outputs) in FILES.items():
        inputs = {"image": square} if name == "locate" else {"image": picture, "quads": quads}
        nets = [load(n, getattr(args, n)) for n in networks]
        with whole(args.out / f"meter-{name}.onnx") as path:
            export(graph(*nets), inputs, outputs, path)
            if name == "read":
                quantise(path, args.fold)
            shrink(path)


if __name__ == "__main__":
    main()
