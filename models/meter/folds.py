"""Train all networks from random weights, and beside each one four more that never see a fold of the small sources, for
`unseen.py`.

python folds.py        # needs the caches of HISTORY.md; half an hour on a GPU with 16 cores, ten hours on two without
"""

import argparse
import os
import signal
import subprocess
import sys
import time

import torch

from data import CACHE, FOLDS, HERE, RUNS, shared_dir

WORKERS = {"read": 3, "refine": 2, "locate": 2, "mark": 4, "digit": 1}  # of 12 that make batches on a GPU
CACHES = ("real", "cells", "hard", "rendered")


def started(network, minutes, gpu):
    options = ("--all", "--folds", "--steps", 10**6, "--minutes", minutes, "--workers", WORKERS[network] if gpu else 1)
    command = [sys.executable, f"train_{network}.py", *map(str, options)]
    print("+", *command[1:], flush=True)
    return subprocess.Popen(command, cwd=HERE, start_new_session=True)


def wait_for(trainings):
    """Where one fails, or this program ends, the others end too, with the processes that make their batches."""
    try:
        while None in (codes := [t.poll() for t in trainings]) and not any(codes):
            time.sleep(1)
        if failed := [t.args[1] for t, code in zip(trainings, codes) if code]:
            raise SystemExit(f"{', '.join(failed)} failed")
    finally:
        for training in trainings:
            if training.poll() is None:
                os.killpg(training.pid, signal.SIGTERM)


def main():
    gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30 if gpu else 600)
    args = parser.parse_args()
    if not (shared_dir() / "meter").exists():
        return print("skipped: no data at SHARED_DIR (default ../shared)")
    last = RUNS / f"folds/{FOLDS - 1}/meter-mark.onnx"
    if last.exists():
        return print(f"{RUNS / 'folds'} is there: remove it to train anew")
    if missing := [name for name in CACHES if not (CACHE / name / "index.json").exists()]:
        raise SystemExit(f"{CACHE} lacks {', '.join(missing)}: Retrain everything in HISTORY.md says what makes them")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    wait_for([started(network, args.minutes, gpu) for network in WORKERS])
    for fold in range(FOLDS):
        options = [o for n in WORKERS for o in (f"--{n}", RUNS / f"{n}-fold{fold}.pt")]
        options += ["--fold", str(fold), "--out", RUNS / f"folds/{fold}"]
        subprocess.run([sys.executable, "export.py", *options], cwd=HERE, check=True)


if __name__ == "__main__":
    main()
