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

from data import FOLDS, HERE, RUNS, shared_dir

# Options of each training, and the processes of 12 that make its batches.
NETWORKS = {
    "read": (3, "--batch", 256, "--lr", 4e-3, "--rendered-share", 0.38),
    "refine": (2, "--batch", 256, "--lr", 4e-3, "--rendered-share", 0.38),
    "locate": (2, "--batch", 64, "--lr", 3e-3, "--rendered-share", 0.34),
    "mark": (4, "--batch", 160, "--lr", 3e-3),
    "digit": (1, "--batch", 160, "--lr", 3e-3),
}


def started(network, minutes, gpu):
    workers, *options = NETWORKS[network]
    always = ("--all", "--folds", "--steps", 10**6, "--minutes", minutes)
    command = [sys.executable, f"train_{network}.py", *always, "--workers", workers if gpu else 1, *options]
    print("+", " ".join(map(str, command[1:])), flush=True)
    return subprocess.Popen(list(map(str, command)), cwd=HERE, start_new_session=True)


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
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    wait_for([started(network, args.minutes, gpu) for network in NETWORKS])
    for fold in range(FOLDS):
        files = [o for n in NETWORKS for o in (f"--{n}", RUNS / f"{n}-fold{fold}.pt")]
        subprocess.run([sys.executable, "export.py", *files, "--out", RUNS / f"folds/{fold}"], cwd=HERE, check=True)


if __name__ == "__main__":
    main()
