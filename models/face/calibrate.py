"""Turns the detector's scores into probabilities and chooses the default score, on the held-out slice.

python calibrate.py CHECKPOINT      writes the calibration into the checkpoint; export.py takes it from there
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx

import dataset
import metrics
from checkpoint import IDENTITY_CALIBRATION, load_checkpoint, save_checkpoint
from detector import Detector, detect
from export import served_model
from heldout import f1, held_out_rows

MAX_FALSE_SHARE = 0.05  # of the face-free pictures of a kind


def fit_calibration(rows, found):
    """Logistic regression of the hits on the logits, by Newton's method."""
    results, _ = metrics.match_all(rows, found)
    scores, hits = (np.array(column, float) for column in zip(*results))
    scores = np.clip(scores, 1e-6, 1 - 1e-6)
    columns = np.stack([np.log(scores / (1 - scores)), np.ones_like(scores)], 1)
    weights = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-columns @ weights))
        hessian = (columns * (p * (1 - p))[:, None]).T @ columns + 1e-6 * np.eye(2)
        weights += np.linalg.solve(hessian, columns.T @ (hits - p))
    scale, offset = map(float, weights)
    return {"scale": scale, "offset": offset}


def detect_all(network, calibration, rows):
    """What the cascade gives with this calibration: its thresholds are calibrated scores."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "face.onnx"
        onnx.save(served_model(network, calibration), path)
        detector = Detector(path)
        return [(d.boxes, d.scores) for d in (detect(detector, row["picture"]) for row in rows)]


def default_score(rows, found, kinds):
    """(score, precision, recall, false-face pictures) of the best F1 among scores with few false faces of each kind.

    kinds: indices of the face-free pictures of each kind, none of which must hide another.
    """
    table = []
    for score in np.arange(0.3, 0.9, 0.025).round(3):
        precision, recall = metrics.precision_recall(rows, found, score)
        false = [sum(bool((found[i][1] >= score).any()) for i in kind) for kind in kinds]
        table.append((float(score), precision, recall, false))
        told = ", ".join(f"{n} of {len(kind)}" for n, kind in zip(false, kinds))
        print(f"  {score:.3f} precision {precision:.3f} recall {recall:.3f} false faces in {told}")

    def few(false):
        return all(n <= MAX_FALSE_SHARE * len(kind) for n, kind in zip(false, kinds))

    allowed = [row for row in table if few(row[3])] or table[-1:]
    return max(allowed, key=lambda row: f1(row[1:3]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    args = parser.parse_args()
    shared = dataset.training_data()
    rows = held_out_rows(shared)
    network, _ = load_checkpoint(args.checkpoint)
    calibration = fit_calibration(rows, detect_all(network, IDENTITY_CALIBRATION, rows))
    print("calibration", calibration)
    # Forty face-free pictures say little about rare false faces; meter photos that no training saw say more.
    meters = [dataset.read_row(row) for row in dataset.meters(shared / "meter" / "train", held_out=True)]
    kinds = [i for i, row in enumerate(rows) if not row["faces"]], range(len(rows), len(rows) + len(meters))
    rows += meters
    score, precision, recall, false = default_score(rows, detect_all(network, calibration, rows), kinds)
    print(
        f"defaultScore in models/manifest.json {score:.3f}: precision {precision:.3f}, recall {recall:.3f}, "
        f"false faces in {false} pictures"
    )
    save_checkpoint(args.checkpoint, network, calibration)


if __name__ == "__main__":
    main()
