"""Train networks that have never seen a source, for `unseen.py`: four folds by source, one after the other.

python folds.py        # needs the caches of HISTORY.md; four hours on one core; goes on where it was stopped

Each network is first trained on toloka, cn and rendered meters alone, then for each fold in further rounds, with the
small sources of the other folds; a round goes on from before the decay of the one before. Of the reader, the weights
of the last two rounds are averaged: the folds read 86.8 % of the wheels with the second alone, 89.2 with the average.
"""

import subprocess
import sys

from data import HERE, RUNS, shared_dir
from unseen import FOLDS, fold_of, photos

# Steps and decay of each round: the first without any small source. More rounds of the locator read no more wheels.
ROUNDS = {
    "locate": ((2600, 500),),
    "refine": ((4500, 1000), (2200, 1100), (2000, 1000)),
    "read": ((4000, 0), (1700, 1100), (2600, 1200)),
    "mark": ((11246, 1100), (1200, 700)),
}
OPTIONS = {"read": ("--batch", 48), "mark": ("--batch", 40, "--lr", "1.2e-3")}


def run(script, *options):
    command = [sys.executable, script, *map(str, options)]
    print("+", " ".join(command[1:]), flush=True)
    subprocess.run(command, cwd=HERE, check=True)


def train(network, name, steps, decay, without, *options):
    """Unless it has been trained already: then the file that is renamed at the end is there."""
    done = RUNS / f"{name}-done.pt"
    if not done.exists():
        run(
            f"train_{network}.py", "--all", "--name", name, "--decay", decay, "--leave-out", ",".join(without),
            "--check-every", 100_000, *steps, *OPTIONS.get(network, ()), *options,
        )  # fmt: skip
        (RUNS / f"{name}.pt").rename(done)
    return done


def trained(network, fold, without):
    """Checkpoint of a network that has not seen the sources of a fold."""
    before, *rounds = [f"{network}-base", *(f"{network}-fold{fold}-{i}" for i in range(1, len(ROUNDS[network])))]
    done = [RUNS / f"{before}-done.pt"]
    for name, (steps, decay) in zip(rounds, ROUNDS[network][1:]):
        more = ("--resume", RUNS / f"{before}-stable.pt", "--more", steps)
        done.append(train(network, name, more, decay, without, "--rendered-share", 0.34))
        before = name
    if network != "read":
        return done[-1]
    mean = RUNS / f"read-fold{fold}-mean.pt"
    run("average.py", *done[-2:], mean)
    return mean


def main():
    if not (shared_dir() / "meter").exists():
        return print("skipped: no data at SHARED_DIR (default ../shared)")
    sources = sorted({t.source for t, _ in photos()})
    for network, ((steps, decay), *_) in ROUNDS.items():
        train(network, f"{network}-base", ("--steps", steps), decay, sources, "--rendered-share", 0.42)
    for fold in range(FOLDS):
        without = [s for s in sources if fold_of(s) == fold]
        made = [o for network in ROUNDS for o in (f"--{network}", trained(network, fold, without))]
        run("export.py", *made, "--out", RUNS / f"folds/{fold}")


if __name__ == "__main__":
    main()
