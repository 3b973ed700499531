"""Writes yunet-pre.onnx and yunet-post.onnx: with them a downloaded YuNet-n follows the contract of graph.py.

The service chains three sessions: pre (`image` to `input` and `image_width`), the model as it is, post (the model's
twelve outputs, `image_width` and `min_score` to boxes, scores and landmarks).
"""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

import graph as onnx_graph
from graph import GraphBuilder
from network import STRIDES

HERE = Path(__file__).resolve().parent
WIDTH = helper.make_tensor_value_info("image_width", TensorProto.INT64, [1])
VALUES = {"cls": 1, "obj": 1, "bbox": 4, "kps": 10}


def pre_model():
    """uint8 RGB NHWC to what YuNet wants: float BGR NCHW, 0..255."""
    g = GraphBuilder("pre")
    bgr = g.add("Gather", g.add("Transpose", "image", perm=[0, 3, 1, 2]), g.constant([2, 1, 0]), axis=1)
    g.add("Cast", bgr, to=TensorProto.FLOAT, output="input")
    g.add("Slice", g.add("Shape", "image"), g.constant([2]), g.constant([3]), output="image_width")
    pixels = helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, "height", "width"])
    return onnx_graph.make_model(g.nodes, [onnx_graph.IMAGE], [pixels, WIDTH], list(g.constants.values()), "yunet-pre")


def post_model():
    g = GraphBuilder("post")
    levels = []
    for stride in STRIDES:
        product = g.add("Mul", f"cls_{stride}", f"obj_{stride}")
        scores = g.add("Reshape", g.add("Sqrt", product), g.constant([-1]))
        values = g.add("Concat", f"bbox_{stride}", f"kps_{stride}", axis=2)
        cells = g.add("Transpose", g.add("Squeeze", values, g.constant([0])), perm=[1, 0])
        width = g.add("Div", "image_width", g.constant([stride]))
        levels.append(onnx_graph.decode_level(g, scores, cells, width, stride))
    onnx_graph.join_levels(g, levels)
    raw = [
        helper.make_tensor_value_info(f"{name}_{s}", TensorProto.FLOAT, [1, f"cells_{s}", depth])
        for name, depth in VALUES.items()
        for s in STRIDES
    ]
    inputs = [*raw, WIDTH, onnx_graph.MIN_SCORE]
    return onnx_graph.make_model(g.nodes, inputs, onnx_graph.DETECTIONS, list(g.constants.values()), "yunet-post")


def main():
    for name, model in (("yunet-pre.onnx", pre_model()), ("yunet-post.onnx", post_model())):
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, HERE / name)
        print(f"{name}: {len(model.graph.node)} nodes")


if __name__ == "__main__":
    main()
