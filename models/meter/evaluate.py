"""Evaluate the exported reader, by source, with 95 % intervals.

python evaluate.py [--split eval|held | --data FOLDER] [--folder runs/x]
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from data import HERE, shared_dir
from measure import calibration_error, held_slice, own_slice, run, share, shown_evaluation, without_meter
from pipeline import Reader


def line(name, rows):
    ok = [r for r in rows if r["ok"]]
    right = f"{100 * np.mean([r['integer'] for r in ok]):5.1f}" if ok else "    –"
    kept, answered = 100 * len(ok) / len(rows), 100 * np.mean([r["answered"] for r in rows])
    shares = " ".join(f"{share(sum(r[key] for r in rows), len(rows)):16s}" for key in ("integer", "full", "near"))
    return (
        f"{name:16s} {len(rows):4d}  {shares} "
        f"{right} / {kept:5.1f}   {answered:5.1f}  {calibration_error(rows)[0]:.3f}  {median_ms(rows):5.1f}"
    )


def median_ms(rows):
    return np.median([r["ms"] for r in rows])


def photos(args):
    if args.data:
        return own_slice(args.data)
    return shown_evaluation() if args.split == "eval" else held_slice()


def group_of(truth, own):
    if own:
        return truth.source
    return "displays" if truth.display else truth.source if truth.source in ("toloka", "cn", "ha") else "other sources"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", choices=["eval", "held"], default="eval")
    parser.add_argument("--folder", type=Path, default=HERE)
    parser.add_argument(
        "--data", type=Path, help="own labelled photos: the part that train_own.py keeps out of training"
    )
    args = parser.parse_args()
    if not args.data and not (shared_dir() / "meter").exists():
        print("skipped: no data at SHARED_DIR (default ../shared)")
        return
    reader = Reader(args.folder)
    truths = list(photos(args))
    if not truths:
        print("skipped: too few photos, none was kept out of training")
        return
    rows = list(run(reader, truths))
    groups = defaultdict(list)
    for r in rows:
        groups[group_of(r["truth"], args.data)].append(r)
    print(
        "source            n   integer %        full %           full ±1 %        ok right/kept %  answered  ECE    ms"
    )
    for name, group in groups.items():
        print(line(name, group))
    every = [r for r in rows if args.data or not r["truth"].display]
    print(line("all" if args.data else "all wheels", every))
    error, table = calibration_error(every)
    print(
        f"calibration error {error:.3f}; reliability: "
        + ", ".join(f"{b / 10:.1f}: {n} given {c:.2f} right {p:.2f}" for b, n, c, p in table)
    )
    if args.data:
        return
    negatives = list(run(reader, without_meter(args.split == "eval")))
    print(
        f"no meter: refused {sum(not r['answered'] for r in negatives)} of {len(negatives)}, "
        f"ok {sum(r['ok'] for r in negatives)}, {median_ms(negatives):.1f} ms"
    )


if __name__ == "__main__":
    main()
