"""YuNet-n as a teacher: its ONNX file run in torch, so that it shares the student's device and batch."""

import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

from network import STRIDES, mixed_precision

# The file's names of the maps that one part of the network hands to the next.
MAPS = {
    "stem": "216", "early": "224", "stage4": "232",
    "pooled8": "233", "pooled16": "242", "pooled32": "251", "stage8": "241", "stage16": "250", "stage32": "259",
    "sum8": "279", "sum16": "269", "sum32": "259", "neck8": "283", "neck16": "273", "neck32": "263",
    "tower8": "287", "tower16": "291", "tower32": "295",
}  # fmt: skip
SHAPE_OPS = {"Shape", "Gather", "Unsqueeze", "Concat"}  # feed Resize and Reshape, which are not needed here


class Teacher:
    """Interprets the few operators of the file, which wants BGR 0..255, NCHW."""

    def __init__(self, path, device):
        model = onnx.load(path)
        self.nodes = [
            (n.op_type, list(n.input), n.output[0], {a.name: helper.get_attribute_value(a) for a in n.attribute})
            for n in model.graph.node
        ]
        self.input = model.graph.input[0].name
        self.weights = {}
        for item in model.graph.initializer:
            tensor = torch.from_numpy(numpy_helper.to_array(item).copy()).to(device)
            self.weights[item.name] = (
                tensor.contiguous(memory_format=torch.channels_last) if tensor.ndim == 4 else tensor
            )

    @torch.no_grad()
    def __call__(self, rgb):
        """RGB [B,3,H,W] to (for each stride (score [B,h,w], box [B,4,h,w], landmarks [B,10,h,w]), maps by name)."""
        v = dict(self.weights)
        v[self.input] = rgb.flip(1)
        with mixed_precision(rgb.device):
            for op, i, o, a in self.nodes:
                if op == "Conv":
                    v[o] = F.conv2d(v[i[0]], v[i[1]], v[i[2]], a["strides"], a["pads"][:2], groups=a["group"])
                elif op == "Relu":
                    v[o] = F.relu_(v[i[0]])
                elif op == "MaxPool":
                    v[o] = F.max_pool2d(v[i[0]], 2)
                elif op == "Add":
                    v[o] = v[i[0]] + v[i[1]]
                elif op == "Resize":
                    v[o] = F.interpolate(v[i[0]], scale_factor=2, mode="nearest")
                elif op == "Sigmoid":
                    v[o] = torch.sigmoid(v[i[0]].float())
                elif op in ("Transpose", "Reshape"):
                    v[o] = v[i[0]]  # kept as maps
                elif op not in SHAPE_OPS:
                    raise ValueError(f"operator {op} of the teacher is not known")
        outputs = [
            ((v[f"cls_{s}"] * v[f"obj_{s}"])[:, 0].clamp(0, 1).sqrt(), v[f"bbox_{s}"].float(), v[f"kps_{s}"].float())
            for s in STRIDES
        ]
        return outputs, {name: v[value] for name, value in MAPS.items()}
