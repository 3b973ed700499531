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
OUTPUTS = {
    "locate": ["quads", "scores"],
    "refine": ["corners", "upside_down", "scores"],
    "read": ["probs", "legible"],
    "mark": ["fraction", "wheel", "digit"],
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


def export(graph, inputs, names, outputs, dynamic, path, finish):
    graph.eval()
    torch.onnx.export(
        graph,
        inputs,
        str(path),
        input_names=names,
        output_names=outputs,
        dynamic_axes=dynamic,
        opset_version=OPSET,
        dynamo=False,
    )
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    got = session.run(None, {n: v.numpy() for n, v in zip(names, inputs)})
    with torch.no_grad():
        want = [v.numpy() for v in graph(*inputs)]
    gap = max(float(np.abs(a - b).max()) for a, b in zip(got, want))
    finish(path)
    model = onnx.load(str(path))
    halve_weights(model)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    print(f"{path.stem}: {path.stat().st_size / 1e6:.2f} MB, largest difference to torch {gap:.1e}")


def main():
    parser = argparse.ArgumentParser()
    for name in NETWORKS:
        parser.add_argument(f"--{name}", type=Path, default=RUNS / f"{name}.pt")
    parser.add_argument("--out", type=Path, default=HERE)
    args = parser.parse_args()
    torch.manual_seed(1)
    args.out.mkdir(parents=True, exist_ok=True)
    picture = torch.randint(0, 256, (1, 375, 500, 3), dtype=torch.uint8)
    quads = torch.tensor(
        [[[100.0, 100], [300, 110], [298, 150], [98, 140]], [[20.0, 20], [480, 20], [480, 90], [20, 90]]]
    )
    wanted = {
        "locate": (
            LocateGraph,
            ["locate"],
            (torch.randint(0, 256, (1, LOCATE_SIZE, LOCATE_SIZE, 3), dtype=torch.uint8),),
        ),
        "refine": (RefineGraph, ["refine"], (picture, quads)),
        "read": (ReadGraph, ["read"], (picture, quads)),
        "mark": (MarkGraph, ["mark", "digit"], (picture, quads.repeat(3, 1, 1))),
    }
    for name in OUTPUTS:
        graph, networks, inputs = wanted[name]
        dynamic = None
        if len(inputs) > 1:
            dynamic = {"image": {1: "height", 2: "width"}, "quads": {0: "count"}}
            dynamic |= {output: {0: "count"} for output in OUTPUTS[name] if output != "fraction"}
        names = ["image", "quads"][: len(inputs)]
        finish = quantise if name == "read" else lambda path: None
        nets = [load(n, getattr(args, n)) for n in networks]
        with whole(args.out / f"meter-{name}.onnx") as path:
            export(graph(*nets), inputs, names, OUTPUTS[name], dynamic, path, finish)


if __name__ == "__main__":
    main()
