"""The mean of two checkpoints, one trained from the other: `export.py` and `train.py` take it like any other.

    python average.py checkpoints/resumable.pt checkpoints/last.pt checkpoints/mean.pt --share 0.5

Training on few pictures forgets some of what its start knew; half way back most of both is kept.
"""

import argparse
from pathlib import Path

from checkpoint import load_checkpoint, save_checkpoint
from network import unframed


def mean(a, b, share):
    """Of the state of two networks; `share` is that of b."""
    a, b = (unframed(network).state_dict() for network in (a, b))
    return {key: a[key].lerp(b[key], share) for key in a}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("start")
    parser.add_argument("trained")
    parser.add_argument("output", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the trained one")
    args = parser.parse_args()
    (start, _), (trained, _) = load_checkpoint(args.start), load_checkpoint(args.trained)
    trained.load_state_dict(mean(start, trained, args.share))
    save_checkpoint(args.output, trained)


if __name__ == "__main__":
    main()
