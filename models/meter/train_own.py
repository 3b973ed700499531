"""Fine-tune the reader on own labelled photos: cache, render, train, export, evaluate before and after.

    python train_own.py --data FOLDER [--out runs/own] [--steps 800] [--register]

FOLDER holds pictures and a labels.json (format in the card). One in five readings is held out for evaluation.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from data import HERE
from register import CHECKPOINTS, NAMES, register

RENDERED = 1000  # meters mixed in, so that others are not forgotten
TRAINABLE = ("locate", "refine", "read")


def run(script, *options):
    command = [sys.executable, *script.split(), *map(str, options)]
    print("+", " ".join(command[1:]), flush=True)
    subprocess.run(command, cwd=HERE, check=True)


def networks(text):
    if unknown := set(names := text.split(",")) - set(TRAINABLE):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))} is none of {','.join(TRAINABLE)}")
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=HERE / "runs/own")
    parser.add_argument("--steps", type=int, default=800, help="of each network")
    parser.add_argument("--networks", type=networks, default="refine,read", help="which to train: locate,refine,read")
    parser.add_argument("--register", action="store_true", help="copy the new networks to where the served ones lie")
    args = parser.parse_args()
    data, out = args.data.resolve(), args.out.resolve()
    if not (data / "labels.json").exists():
        raise SystemExit(f"{data}/labels.json is missing: see Retrain in the card")
    os.environ["METER_WORK"] = str(out)  # cache and checkpoints of this run only
    run("data.py", "--data", data)
    run("-m render.build", "--count", RENDERED)
    checkpoints = {n: HERE / f"checkpoints/{n}.pt" for n in CHECKPOINTS}
    for name in args.networks:
        length = ("--more", args.steps, "--decay", args.steps // 2)
        batch = ("--lr", 5e-4, "--batch", 16 if name == "locate" else 48, "--rendered-share", 0.3)
        run(f"train_{name}.py", "--resume", checkpoints[name], *length, *batch)
        checkpoints[name] = out / f"runs/{name}.pt"
    run("export.py", *(x for n in CHECKPOINTS for x in (f"--{n}", checkpoints[n])), "--out", out / "networks")
    # Exported again, the reader would have its eight bits scaled by own photos, trained or not.
    for name in set(NAMES) - set(args.networks):
        shutil.copy(HERE / f"meter-{name}.onnx", out / "networks")
    print("before:", flush=True)
    run("evaluate.py", "--data", data)
    print("after:", flush=True)
    run("evaluate.py", "--data", data, "--folder", out / "networks")
    if args.register:
        register(out / "networks", {n: checkpoints[n] for n in args.networks})
        run("reference.py")


if __name__ == "__main__":
    main()
