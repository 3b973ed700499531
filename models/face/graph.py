"""ONNX pieces around a bare network, so that every detector has one contract.

In: `image` uint8 [1,H,W,3] RGB and `min_score` float [1]. Out: `boxes` [N,4], `scores` [N], `landmarks` [N,5,2] in
input pixels, every candidate of at least `min_score`, before non-maximum suppression.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 9
IMAGE = helper.make_tensor_value_info("image", TensorProto.UINT8, [1, "height", "width", 3])
MIN_SCORE = helper.make_tensor_value_info("min_score", TensorProto.FLOAT, [1])
DETECTIONS = [
    helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["count", 4]),
    helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["count"]),
    helper.make_tensor_value_info("landmarks", TensorProto.FLOAT, ["count", 5, 2]),
]


class GraphBuilder:
    """Collects nodes and constants; `add` returns the name of the node's output."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.nodes = []
        self.constants = {}

    def constant(self, value, dtype=np.int64):
        array = np.asarray(value, dtype=dtype)
        key = f"{self.prefix}/const_{array.dtype}_{'_'.join(map(str, array.shape))}_{array.ravel().tolist()}"
        self.constants.setdefault(key, numpy_helper.from_array(array, key))
        return key

    def add(self, op, *inputs, outputs=1, output=None, **attributes):
        names = [output] if output else [f"{self.prefix}/{op}_{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, name=names[0], **attributes))
        return names[0] if outputs == 1 else names


def decode_level(g, scores, cells, width, stride):
    """Boxes, scores and landmarks of one stride.

    scores: [HW]; cells: [14,HW] (dx, dy, log w, log h, five landmark pairs, all in strides); width: cells a row, [1].
    Filters first, so that an empty picture costs nothing here.
    """
    kept = g.add("Squeeze", g.add("NonZero", g.add("GreaterOrEqual", scores, "min_score")), g.constant([0]))
    picked = g.add("Gather", cells, kept, axis=1)
    x = g.add("Cast", g.add("Mod", kept, width), to=TensorProto.FLOAT)
    y = g.add("Cast", g.add("Div", kept, width), to=TensorProto.FLOAT)
    corner = g.add("Concat", g.add("Unsqueeze", x, g.constant([0])), g.add("Unsqueeze", y, g.constant([0])), axis=0)
    centre_offset, log_size, points = g.add("Split", picked, g.constant([2, 2, 10]), outputs=3, axis=0)
    step = g.constant(stride, np.float32)
    centre = g.add("Mul", g.add("Add", corner, centre_offset), step)
    # Sizes are clamped: a wild logit must not become an infinite box.
    bounded = g.add("Clip", log_size, g.constant(-5, np.float32), g.constant(6, np.float32))
    half = g.add("Mul", g.add("Exp", bounded), g.constant(stride / 2, np.float32))
    box = g.add("Concat", g.add("Sub", centre, half), g.add("Add", centre, half), axis=0)
    five_corners = g.add("Concat", *[corner] * 5, axis=0)
    landmarks = g.add("Mul", g.add("Add", points, five_corners), step)
    return (
        g.add("Transpose", box, perm=[1, 0]),
        g.add("Gather", scores, kept, axis=0),
        g.add("Reshape", g.add("Transpose", landmarks, perm=[1, 0]), g.constant([-1, 5, 2])),
    )


def join_levels(g, levels):
    """Writes the three outputs of the contract from `decode_level` of every stride."""
    for name, parts in zip(("boxes", "scores", "landmarks"), zip(*levels)):
        g.add("Concat", *parts, output=name, axis=0)


def make_model(nodes, inputs, outputs, initializers, name):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name=name)
    model.ir_version = IR_VERSION
    return model
