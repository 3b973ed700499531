"""Mean of two runs in plain weights, and with folds of each of theirs: between what two teachings gained and lost.

python average.py read light mean    # runs/mean.pt, runs/mean-fold0.pt, …
"""

import argparse

import torch

from data import FOLDS, RUNS
from whole import whole

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("one", "other", "mean"):
        parser.add_argument(name, help="name of a run")
    args = parser.parse_args()
    for suffix in ("", *(f"-fold{fold}" for fold in range(FOLDS))):
        paths = [RUNS / f"{name}{suffix}.pt" for name in (args.one, args.other)]
        if suffix and not all(path.exists() for path in paths):
            continue
        one, other = (torch.load(path, map_location="cpu") for path in paths)
        pairs = ((k, v, other["average"][k]) for k, v in one["average"].items())
        mean = {k: torch.lerp(v.float(), w.float(), 0.5) if v.is_floating_point() else v for k, v, w in pairs}
        step = max(one["step"], other["step"])
        with whole(RUNS / f"{args.mean}{suffix}.pt") as path:
            torch.save({"model": mean, "average": mean, "step": step}, path)
        print(f"{args.mean}{suffix}.pt")
