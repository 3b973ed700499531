"""Evaluate on every photo of the small sources, by networks that have not seen its source (`folds.py`), with prior and
confidence fitted without it, but half by what the served networks read of their own training photos; the networks'
output is cached by content.

python unseen.py                     four folds by source
python unseen.py --fit               and write the confidence of the point and of the digits to reader.json
python unseen.py --strips 60         rendered and recombined strips, so many of every number of wheels and of decimals
"""

import argparse
import hashlib
import json
import pickle
from collections import defaultdict
from functools import partial
from pathlib import Path

import numpy as np

from assemble import assemble, cells_of, fraction_lengths, logit
from calibrate import NAMES, NON_METERS, SEEN, fit, fraction_prior
from data import CACHE, FOLDS, HERE, RUNS, fold_of, shared_dir
from measure import calibration_error, held_slice, judge, non_meters, truths_of, wilson
from picture import read_picture
from pipeline import Reader

# Rules that only decide what is made of hypotheses; all others may decide what the networks see.
LATER = ("aloneWeight", "alternativeFloor", "fractionCalibration", "fractionLikely", "fractionSure", "okConfidence")
ELECTRIC = ("elec_", "anhkhoi", "dbms", "duongbe", "mjul", "morvai")


def key_of(*parts) -> str:
    return hashlib.sha256(b"".join(p if isinstance(p, bytes) else str(p).encode() for p in parts)).hexdigest()[:24]


def cached(key, make):
    path = CACHE / "unseen" / key[:2] / key
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(make()))
    return pickle.loads(path.read_bytes())


class CachedReader:
    """A reader whose hypotheses and marks are kept on disk by the content of the networks and of the photo."""

    def __init__(self, folder: Path, rules=None):
        self.reader = Reader(folder, rules)
        self.reader.mark_net = None
        self.mark = folder / "meter-mark.onnx"
        names = [folder / f"meter-{n}.onnx" for n in ("locate", "refine", "read")]
        looks = json.dumps({k: v for k, v in self.reader.rules.items() if k not in LATER})
        self.nets = key_of(looks, *(p.read_bytes() for p in [*names, HERE / "pipeline.py"]))
        self.mark_key = key_of(looks, self.mark.read_bytes())

    def load_mark(self):
        import onnxruntime as ort

        if self.reader.mark_net is None:
            options = ort.SessionOptions()
            options.intra_op_num_threads = 1
            self.reader.mark_net = ort.InferenceSession(str(self.mark), options, providers=["CPUExecutionProvider"])

    def seen(self, truth):
        """Hypotheses and marks of a photo."""
        photo = truth.path.read_bytes()
        key = key_of("hypotheses", self.nets, photo)
        found = cached(key, lambda: self.reader.hypotheses(read_picture(truth.path))[0])

        def look():
            self.load_mark()
            return self.reader.marks(read_picture(truth.path), found)

        cells = [q.round(2).tolist() for q in cells_of(found, self.reader.rules) or []]
        return found, cached(key_of("marks", self.mark_key, cells, photo), look)


def photos():
    """(truth, group) of every photo of the small sources."""
    meter = shared_dir() / "meter"
    kinds = {o["file"]: o.get("kind") for o in json.loads((meter / "more/labels.json").read_text())}
    for folder in ("train_extra", "more"):
        for t in truths_of(meter / folder, "labels.json"):
            electric = t.source.startswith(ELECTRIC)
            wheels = "electricity" if electric else "water and gas"
            yield t, "displays" if kinds.get(t.path.name) == "display" else wheels


def out_of_fold(readers, rule, folds, fitted):
    """Give each reader the rule as fitted on the rows of the other folds; returns it as fitted on all."""
    for fold, reader in enumerate(readers):
        reader.reader.rules[rule] = fitted(folds != fold)
    return fitted(np.full(len(folds), True))


def with_calibrated_point(readers, served):
    """Fit the confidence of the point for each fold on the photos of the others whose digits are read right, and on
    the held readings of toloka and cn by `served`, which has learned from them; these weigh as much. Returns the fit on
    all folds."""
    rows = []

    def add(truth, fold, by):
        found, marks = by.seen(truth)
        answer = assemble(found, by.reader.rules, marks)
        if answer and answer["digits"] in (truth.digits, *truth.accept):
            right = truth.red == (answer["red_digits"] if answer["pointed"] else 0)
            rows.append((fold, logit(answer["length_p"]), right))

    for truth, _ in photos():
        add(truth, fold_of(truth.source), readers[fold_of(truth.source)])
    for truth in held_slice():
        if truth.source in SEEN:
            add(truth, None, served)
    folds, x = np.array([r[0] for r in rows]), np.array([[r[1]] for r in rows])
    y, held = np.array([r[2] for r in rows], float), np.array([r[0] is None for r in rows])
    weight = np.where(held, (~held).sum() / held.sum(), 1)

    def fitted(keep):
        b = fit(x[keep], y[keep], weight[keep])
        return {"bias": round(float(b[0]), 3), "length": round(float(b[1]), 3)}

    return out_of_fold(readers, "fractionCalibration", folds, fitted)


def with_calibrated_digits(readers, served):
    """The same for the confidence that the digits are right, wherever the point is. `served` reads the held readings of
    toloka and cn, and pictures without a meter."""
    refuse_none = {"legible": 0.0, "confidence": 0.0}
    rows = []

    def add(truth, group, fold, by):
        found, marks = by.seen(truth)
        answer = assemble(found, {**by.reader.rules, "refuse": refuse_none}, marks)
        if answer:
            right = group != "away" and judge(answer, truth)["digits"]
            rows.append((group, fold, right, [answer["features"][k] for k in NAMES]))

    for truth, _ in photos():
        add(truth, "small", fold_of(truth.source), readers[fold_of(truth.source)])
    for truth in held_slice():
        if truth.source in SEEN:
            add(truth, "held", None, served)
    for truth in non_meters():
        add(truth, "away", None, served)
    group, folds = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    x, y = np.array([r[3] for r in rows]), np.array([r[2] for r in rows], float)
    n = {g: (group == g).sum() for g in set(group)}
    share = {"held": 1, "small": n["held"] / n["small"], "away": 2 * NON_METERS * n["held"] / n["away"]}
    weight = np.array([share[g] for g in group]) * (group != "away").sum() / (2 * n["held"])

    def fitted(keep):
        b = fit(x[keep], y[keep], weight[keep])
        return {"bias": round(float(b[0]), 4), **{k: round(float(v), 4) for k, v in zip(NAMES, b[1:])}}

    return out_of_fold(readers, "calibration", folds, fitted)


def judged(readers):
    """Rows of `judge`, each by the reader of the source's fold."""
    for truth, group in photos():
        reader = readers[fold_of(truth.source)]
        found, marks = reader.seen(truth)
        answer = assemble(found, reader.reader.rules, marks)
        row = judge(answer, truth)
        yield {"truth": truth, "group": group, "answer": answer, "point": row["digits"] and not row["integer"], **row}


def line(name, rows):
    def share(part, whole):
        low, high = wilson(len(part), len(whole))
        return f"{100 * len(part) / max(1, len(whole)):5.1f} ({100 * low:.0f}-{100 * high:.0f})"

    ok = [r for r in rows if r["ok"]]
    right = [r for r in ok if r["integer"]]
    point = sum(r["point"] for r in ok)
    return (
        f"{name:24s} {len(rows):4d}  {share([r for r in rows if r['integer']], rows):16s} {share(right, ok):16s} "
        f"{100 * len(ok) / len(rows):5.1f}  {len(ok) - len(right):3d} {point:3d}    {calibration_error(rows)[0]:.3f}"
    )


def report(rows, by_source):
    groups = defaultdict(list)
    for r in rows:
        groups[r["group"]].append(r)
        if r["group"] != "displays":
            groups["all wheels"].append(r)
        if by_source:
            groups[r["truth"].source].append(r)
    print(f"{'':24s}    n  integer %        ok: right %     kept %  wrong, by the point   ECE")
    for name, group in groups.items():
        print(line(name, group))


def strips(reader, count):
    """Share of rendered and of recombined strips whose fraction is right or called unknown, by wheels and decimals."""
    import cells
    from augment import rng, seed
    from geometry import expand
    from render.fonts import segment_fonts, text_fonts

    seed(29)
    reader.load_mark()
    rules, fonts, segments = reader.reader.rules, text_fonts(), segment_fonts()
    real = [c for c in cells.load() if c.held or c.source not in ("toloka", "cn")]

    def make(n, k, is_drawn):
        return cells.drawn(n, k, fonts, segments) if is_drawn else cells.recombine(rng.choice(real), n, k)

    table = defaultdict(list)
    for n in range(4, 10):
        for k in range(0, min(4, n - 2) + 1):
            for i in range(count):
                c = cells.seen(partial(make, n, k, i % 2))
                p, x = cells.pitch_of(c.centres), c.centres
                quads = [
                    np.float32([[a - p / 2, c.top], [a + p / 2, c.top], [a + p / 2, c.bottom], [a - p / 2, c.bottom]])
                    for a in x
                ]
                fraction, wheel, _ = reader.reader.run(
                    reader.reader.mark_net,
                    {
                        "image": c.image[None],
                        "quads": np.stack([expand(q, **rules["cell"]) for q in quads]).astype(np.float32),
                    },
                )
                lengths = fraction_lengths(np.full(n, 0.5), rules, {"fraction": fraction, "wheel": wheel})
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
    parser.add_argument("--folds", type=Path, default=RUNS / "folds", help="those of each fold: 0/meter-*.onnx, …")
    parser.add_argument("--rules", type=Path, default=HERE / "reader.json")
    parser.add_argument("--strips", type=int)
    parser.add_argument(
        "--fit", action="store_true", help="write the confidence of the point and the digits to --rules"
    )
    parser.add_argument("--by-source", action="store_true")
    parser.add_argument("--wrong", action="store_true", help="list what is wrong")
    args = parser.parse_args()
    if not (shared_dir() / "meter").exists():
        print("skipped: no data at SHARED_DIR (default ../shared)")
        return
    rules = json.loads(args.rules.read_text())
    served = CachedReader(args.folder, rules)
    if args.strips:
        return strips(served, args.strips)
    if not args.folds.exists():
        raise SystemExit(f"{args.folds} is missing: folds.py trains it")
    sources = sorted({t.source for t, _ in photos()})
    readers = []
    for fold in range(FOLDS):
        without = [s for s in sources if fold_of(s) == fold]
        prior = {"fractionPrior": fraction_prior(without=without)}
        readers.append(CachedReader(args.folds / str(fold), {**rules, **prior}))
    fraction = with_calibrated_point(readers, served)
    digits = with_calibrated_digits(readers, served)
    if args.fit:
        rules |= {"calibration": digits, "fractionCalibration": fraction, "fractionPrior": fraction_prior()}
        args.rules.write_text(json.dumps(rules, indent=2) + "\n")
        print("calibration:", digits, "fractionCalibration:", fraction)
    rows = list(judged(readers))
    report(rows, args.by_source)
    if args.wrong:
        for r in rows:
            if not r["integer"]:
                t, a = r["truth"], r["answer"]
                print(
                    f"{t.path.name}: {t.digits}, {t.red} decimals;",
                    f"{a['digits']} {a['red_digits']} ({a['fraction_sure']:.2f}) {a['confidence']:.2f}"
                    if a
                    else "none",
                    "OK" if r["ok"] else "refused" if not r["answered"] else "check",
                )


if __name__ == "__main__":
    main()
