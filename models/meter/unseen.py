"""Evaluate on every photo of the small sources, by networks that have not seen its source (`folds.py`), with prior and
confidence fitted without it, but half by what the served networks read of their own training photos.

python unseen.py                     four folds by source
python unseen.py --fit               and write the confidence of the point and of the digits, and how usual a fraction
                                     is, to --rules
python unseen.py --strips 60         rendered and recombined strips, so many of every number of wheels and of decimals,
                                     by the networks of --folder, which have learned from the photos recombined
"""

import argparse
import json
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np

from assemble import assemble, fraction_lengths, logit
from calibrate import NAMES, NON_METERS, fit, fraction_prior
from data import FOLDERS, FOLDS, HERE, LARGE, RUNS, fold_of, shared_dir
from geometry import rectangle
from measure import calibration_error, held_slice, judge, non_meters, share, truths_of
from picture import read_picture
from pipeline import Reader

ELECTRIC = ("elec_", "anhkhoi", "dbms", "duongbe", "mjul", "morvai")


class SeenReader(Reader):
    """Remembers the hypotheses and marks of each photo: what is fitted later decides what is made of them."""

    def __init__(self, folder: Path, rules):
        super().__init__(folder, rules)
        self.found = {}

    def answer(self, truth, **rules):
        """What is made of a photo; `rules` in place of the reader's own."""
        if truth.path not in self.found:
            image = self.shrunk(read_picture(truth.path))
            found = self.hypotheses(image)
            self.found[truth.path] = found, self.marks(image, found)
        found, marks = self.found[truth.path]
        return assemble(found, {**self.rules, **rules}, marks)


def photos():
    """(truth, group) of every photo of the small sources."""
    for folder in FOLDERS:
        for t in truths_of(shared_dir() / "meter" / folder):
            if t.source not in LARGE:
                wheels = "electricity" if t.source.startswith(ELECTRIC) else "water and gas"
                yield t, "displays" if t.display else wheels


def fit_out_of_fold(readers, rule, names, folds, x, y, weight):
    """Give each reader the rule as fitted on the rows of the other folds; returns it as fitted on all."""

    def fitted(keep):
        b = fit(x[keep], y[keep], weight[keep])
        return {name: round(float(v), 4) for name, v in zip(("bias", *names), b)}

    for fold, reader in enumerate(readers):
        reader.rules[rule] = fitted(folds != fold)
    return fitted(np.full(len(folds), True))


def asked(readers, served):
    """(truth, kind, fold, reader): small sources by the reader of their fold; the held readings of toloka and cn, which
    it has learned from, and pictures without a meter by the served one."""
    for truth, _ in photos():
        fold = fold_of(truth.source)
        yield truth, "small", fold, readers[fold]
    for truth in held_slice():
        if truth.source in LARGE:
            yield truth, "held", None, served
    for truth in non_meters():
        yield truth, "away", None, served


def with_calibrated_point(readers, served):
    """Fit the confidence of the point for each fold on the photos of the others whose digits are read right, and on
    the held readings, which weigh as much. Returns the fit on all folds."""
    rows = []
    for truth, _, fold, reader in asked(readers, served):
        answer = reader.answer(truth)
        if answer and answer["digits"] in (truth.digits, *truth.accept):
            right = truth.red == (answer["red_digits"] if answer["pointed"] else 0)
            rows.append((fold, [logit(answer["length_p"])], right))
    folds, x, y = (np.array(column) for column in zip(*rows))
    held = np.array([fold is None for fold in folds])
    weight = np.where(held, (~held).sum() / held.sum(), 1)
    return fit_out_of_fold(readers, "fractionCalibration", ["length"], folds, x, y, weight)


def with_calibrated_digits(readers, served):
    """The same for the confidence that the digits are right, wherever the point is; also by what is no meter."""
    rows = []
    for truth, kind, fold, reader in asked(readers, served):
        answer = reader.answer(truth, refuse={"legible": 0.0, "confidence": 0.0})
        if answer:
            right = kind != "away" and judge(answer, truth)["digits"]
            rows.append((kind, fold, [answer["features"][name] for name in NAMES], right))
    kinds, folds, x, y = (np.array(column) for column in zip(*rows))
    n = {kind: (kinds == kind).sum() for kind in set(kinds)}
    shares = {"held": 1, "small": n["held"] / n["small"], "away": 2 * NON_METERS * n["held"] / n["away"]}
    weight = np.array([shares[kind] for kind in kinds]) * (kinds != "away").sum() / (2 * n["held"])
    return fit_out_of_fold(readers, "calibration", NAMES, folds, x, y, weight)


def judged(readers):
    """Rows of `judge`, each by the reader of the source's fold."""
    for truth, group in photos():
        answer = readers[fold_of(truth.source)].answer(truth)
        row = judge(answer, truth)
        yield {"truth": truth, "group": group, "answer": answer, "point": row["digits"] and not row["integer"], **row}


def line(name, rows):
    ok = [r for r in rows if r["ok"]]
    right = sum(r["integer"] for r in ok)
    point = sum(r["point"] for r in ok)
    integer = share(sum(r["integer"] for r in rows), len(rows))
    return (
        f"{name:24s} {len(rows):4d}  {integer:16s} {share(right, len(ok)):16s} "
        f"{100 * len(ok) / len(rows):5.1f}  {len(ok) - right:3d} {point:3d}    {calibration_error(rows)[0]:.3f}"
    )


def report(rows):
    groups = defaultdict(list)
    for r in rows:
        groups[r["group"]].append(r)
        if r["group"] != "displays":
            groups["all wheels"].append(r)
    print(f"{'':24s}    n  integer %        ok: right %     kept %  wrong, by the point   ECE")
    for name, group in groups.items():
        print(line(name, group))


def strips(reader, count):
    """Share of rendered and of recombined strips whose fraction is right or called unknown, by wheels and decimals."""
    import cells
    from augment import rng, seed
    from recombine import drawn, recombine

    seed(29)
    rules = reader.rules
    real = [c for c in cells.load() if c.held or c.source not in LARGE]

    def make(n, k, is_drawn):
        return drawn(n, k) if is_drawn else recombine(rng.choice(real), n, k)

    table = defaultdict(list)
    for n in range(4, 10):
        for k in range(0, min(4, n - 2) + 1):
            for i in range(count):
                c = cells.seen(partial(make, n, k, i % 2))
                p = cells.pitch_of(c.centres)
                quads = [rectangle(a - p / 2, c.top, a + p / 2, c.bottom) for a in c.centres]
                fraction, _, _ = reader.look(c.image, quads)
                lengths = fraction_lengths(np.full(n, 0.5), rules, {"fraction": fraction})
                at = int(lengths.argmax())
                told = lengths[at] >= rules["fractionSure"]
                table[n, k].append((told and at == k, told and at != k))
    print("wheels, decimals: told and right, wrong, not told (%)")
    for (n, k), rows in table.items():
        right, wrong = 100 * np.mean(rows, 0)
        print(f"{n} {k}: {right:5.1f} {wrong:5.1f} {100 - right - wrong:5.1f}")
    every = [r for rows in table.values() for r in rows]
    right, wrong = 100 * np.mean(every, 0)
    print(f"all {len(every)}: {right:.1f} {wrong:.1f} {100 - right - wrong:.1f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=HERE, help="the networks that are to be served")
    parser.add_argument("--rules", type=Path, default=HERE / "reader.json")
    parser.add_argument("--strips", type=int)
    parser.add_argument("--fit", action="store_true", help="write what was fitted to --rules")
    parser.add_argument("--wrong", action="store_true", help="list what is wrong")
    args = parser.parse_args()
    if not (shared_dir() / "meter").exists():
        print("skipped: no data at SHARED_DIR (default ../shared)")
        return
    rules = json.loads(args.rules.read_text())
    served = SeenReader(args.folder, rules)
    if args.strips:
        return strips(served, args.strips)
    folds = RUNS / "folds"
    if not folds.exists():
        raise SystemExit(f"{folds} is missing: folds.py trains it")
    sources = sorted({t.source for t, _ in photos()})
    readers = []
    for fold in range(FOLDS):
        prior = fraction_prior(without=[s for s in sources if fold_of(s) == fold])
        readers.append(SeenReader(folds / str(fold), {**rules, "fractionPrior": prior}))
    fraction = with_calibrated_point(readers, served)
    digits = with_calibrated_digits(readers, served)
    if args.fit:
        rules |= {"calibration": digits, "fractionCalibration": fraction, "fractionPrior": fraction_prior()}
        args.rules.write_text(json.dumps(rules, indent=2) + "\n")
        print("calibration:", digits, "fractionCalibration:", fraction)
    rows = list(judged(readers))
    report(rows)
    if args.wrong:
        for r in rows:
            if not r["integer"]:
                said = ("digits", "red_digits", "fraction_sure", "confidence", "readable", "status")
                print(r["truth"], r["answer"] and {k: r["answer"][k] for k in said})


if __name__ == "__main__":
    main()
