"""Average the weights of two checkpoints of one network, the second trained on from the first.

python average.py A.pt B.pt OUT.pt

What both have learned stays; what either has fitted to its own samples is halved.
"""

import sys

import torch

if __name__ == "__main__":
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    first, second = (torch.load(path, map_location="cpu")["average"] for path in sys.argv[1:3])
    step = torch.load(sys.argv[2], map_location="cpu")["step"]
    mean = {k: (v.float() + second[k].float()) / 2 if v.is_floating_point() else second[k] for k, v in first.items()}
    torch.save({"model": mean, "average": mean, "step": step}, sys.argv[3])
