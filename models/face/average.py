"""The mean of two checkpoints, one trained from the other: `export.py` and `train.py` take it like any other.

    python average.py checkpoints/resumable.pt checkpoints/last.pt checkpoints/mean.pt --share 0.5

Training on few pictures forgets some of what its start knew; half way back most of both is kept.
"""

import argparse

import torch

from export import network_of
from network import Mixing, Unit
from whole import whole


@torch.no_grad()
def unframed(network):
    """The same function with every convolution learned for plain inputs: only so can weights be averaged."""
    for module in network.modules():
        if isinstance(module, Mixing):
            weight, offset = module.weights()
            module.mix.copy_(weight.flatten(1))
            module.offset.copy_(offset)
            module.mean.zero_()
            module.whiten.copy_(torch.eye(len(module.mean)))
        elif isinstance(module, Unit):
            module.spots.copy_(module.weight())
            module.scale.fill_(1)
    return network


def mean(a, b, share):
    """Of the state of two networks; `share` is that of b."""
    a, b = (unframed(network).state_dict() for network in (a, b))
    return {key: a[key].lerp(b[key], share) for key in a}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("start")
    parser.add_argument("trained")
    parser.add_argument("output")
    parser.add_argument("--share", type=float, default=0.5, help="of the trained one")
    args = parser.parse_args()
    start, trained = (torch.load(p, map_location="cpu", weights_only=True) for p in (args.start, args.trained))
    state = mean(network_of(start), network_of(trained), args.share)
    trained = {k: v for k, v in trained.items() if k != "calibration"}
    with whole(args.output) as path:
        torch.save({**trained, "ema": state, "model": state, "optimiser": None}, path)


if __name__ == "__main__":
    main()
