"""Train networks that have never seen a source, for `unseen.py --folds`: four folds by source, one after the other.

python folds.py                  # about two hours on one core; started again, it goes on where it stopped

Each network is first trained on toloka, cn and rendered meters alone, then once more for each fold, with the small
sources of the other folds. Steps are fewer than in the served networks, whose sources are all of these.
"""

import subprocess
import sys

from data import HERE, RUNS
from unseen import FOLDS, fold_of, photos

# Steps and decay: without any small source, and those added for each fold. The locator loses little, and gets none.
STEPS = {
    "locate": ((2600, 500), None),
    "refine": ((4500, 1000), (2200, 1100)),
    "read": ((4000, 0), (1700, 1100)),
    "mark": ((8000, 2500), (1200, 700)),
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


def main():
    sources = sorted({t.source for t, _ in photos()})
    bases = {
        network: train(network, f"{network}-base", ("--steps", steps), decay, sources, "--rendered-share", 0.42)
        for network, ((steps, decay), _) in STEPS.items()
    }
    for fold in range(FOLDS):
        without = [s for s in sources if fold_of(s) == fold]
        made = []
        for network, (_, added) in STEPS.items():
            checkpoint = bases[network]
            if added:
                steps, decay = added
                more = ("--resume", RUNS / f"{network}-base-stable.pt", "--more", steps)
                name = f"{network}-fold{fold}"
                checkpoint = train(network, name, more, decay, without, "--rendered-share", 0.36)
            made += [f"--{network}", checkpoint]
        run("export.py", *made, "--out", RUNS / f"folds/{fold}")


if __name__ == "__main__":
    main()
