"""Serve other networks: copies them here, with their rules and the checkpoints to commit.

python register.py --folder runs/x

`npm run models:register` writes their hashes into ../manifest.json afterwards.
"""

import argparse
import shutil
from pathlib import Path

import torch

from data import HERE, RUNS
from nets import halved
from whole import whole

NAMES = ("locate", "refine", "read", "mark")
CHECKPOINTS = (*NAMES, "digit")


def register(folder: Path, checkpoints: dict) -> None:
    loaded = {n: torch.load(path, map_location="cpu") for n, path in checkpoints.items()}
    networks = {f"meter-{n}.onnx": (folder / f"meter-{n}.onnx").read_bytes() for n in NAMES}
    for name, network in networks.items():
        (HERE / name).write_bytes(network)
    if (folder / "reader.json").exists():
        shutil.copy(folder / "reader.json", HERE)
    (HERE / "checkpoints").mkdir(exist_ok=True)
    for name, saved in loaded.items():
        average = halved(saved["average"])
        with whole(HERE / f"checkpoints/{name}.pt") as path:
            torch.save({"model": average, "average": average, "step": saved["step"]}, path)
    print(f"copied {folder}: `npm run models:register` makes them the served ones")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    for name in CHECKPOINTS:
        parser.add_argument(f"--{name}", type=Path, default=RUNS / f"{name}.pt", help="checkpoint to commit beside it")
    args = parser.parse_args()
    register(args.folder, {n: getattr(args, n) for n in CHECKPOINTS})
