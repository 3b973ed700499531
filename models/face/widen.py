"""Gives a detector more room without changing what it says: `train.py` goes on from there.

    python widen.py checkpoints/resumable.pt checkpoints/wide.pt --stage 192 64 --tower 128 64

Further hidden maps begin with no say in the next unit; further units begin as the identity, which they can be because
every map that one unit hands to the next is at least zero.
"""

import argparse
import dataclasses

import torch

from export import network_of
from network import FaceNetwork


@torch.no_grad()
def grow(wide, narrow):
    """Sets the units of a chain to do what those of a narrower or shorter one do."""
    for i, unit in enumerate(wide):
        weight, offset = (torch.zeros_like(t) for t in unit.mixing.weights())
        if i < len(narrow):
            old = narrow[i]
            outputs, inputs = old.mixing.shape[:2]
            old_weight, old_offset = old.mixing.weights()
            if weight.shape[0] > outputs:  # without a start of their own, new maps would stay alike
                weight.copy_(unit.mixing.weights()[0])
            weight[:outputs, inputs:] = 0
            weight[outputs:, inputs:] = 0
            weight[:outputs, :inputs], offset[:outputs] = old_weight, old_offset
            for name in ("spots", "scale", "bias"):
                getattr(unit, name)[:outputs] = getattr(old, name)
        else:
            weight.copy_(torch.eye(*weight.shape[:2])[..., None, None])
            shared = min(weight.shape[:2])
            unit.spots[:shared] = torch.eye(9)[4].view(1, 1, 3, 3)
            unit.bias.zero_()
        # The frame of the inputs is unknown: `whiten` sets it from pictures.
        unit.mixing.mix.copy_(weight.flatten(1))
        unit.mixing.offset.copy_(offset)


def widened(network, config):
    wide = FaceNetwork(config)
    mine, theirs = dict(wide.named_children()), dict(network.named_children())
    for name in ("stem", "heads"):
        mine[name].load_state_dict(theirs[name].state_dict())
    for name in ("stages", "merge", "towers"):
        for new, old in zip(mine[name], theirs[name]):
            grow(new, old)
    return wide


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("start")
    parser.add_argument("output")
    parser.add_argument("--early", type=int, nargs="+", help="widths of the units of the first stage at stride 4")
    parser.add_argument("--stage4", type=int, nargs="+", help="of the second")
    parser.add_argument("--stage", type=int, nargs="+", help="of each stage from stride 8 on")
    parser.add_argument("--tower", type=int, nargs="+", help="of each head")
    args = parser.parse_args()
    saved = torch.load(args.start, map_location="cpu", weights_only=True)
    narrow = network_of(saved).eval()
    stages = list(narrow.config.stages)
    stages = (args.early or stages[0], args.stage4 or stages[1], *(args.stage or s for s in stages[2:]))
    config = dataclasses.replace(
        narrow.config, stages=tuple(map(tuple, stages)), tower=tuple(args.tower or narrow.config.tower)
    )
    wide = widened(narrow, config).eval()
    pixels = torch.randn(1, 3, 256, 256)
    gaps = [(a - b).abs().max().item() for a, b in zip(narrow(pixels), wide(pixels))]
    print(f"{sum(p.numel() for p in wide.parameters())} parameters; greatest difference {max(gaps):.1e}")
    torch.save({**saved, "config": config.to_dict(), "ema": wide.state_dict(), "model": wide.state_dict()}, args.output)


if __name__ == "__main__":
    main()
