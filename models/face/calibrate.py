"""Makes scores probabilities and finds the default score, by the held-out slice of the training pictures.

    python calibrate.py CHECKPOINT      writes both into the checkpoint; export.py takes them from there
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch

import dataset
import metrics
from detector import Detector, detect
from export import IDENTITY_CALIBRATION, load_network, served_model
from heldout import HeldOut, f1

MAX_FALSE_SHARE = 0.025  # of the face-free pictures


def logit(score):
    score = np.clip(score, 1e-6, 1 - 1e-6)
    return np.log(score / (1 - score))


def fit_platt(logits, hits, steps=50):
    """Scale and offset of the logistic regression of hits on logits, by Newton's method."""
    x = np.stack([logits, np.ones_like(logits)], 1)
    w = np.array([1.0, 0.0])
    for _ in range(steps):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (hits - p)
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-6 * np.eye(2)
        w = w + np.linalg.solve(hessian, gradient)
    return {"scale": float(w[0]), "offset": float(w[1])}


def default_score(rows, found):
    """(score, precision, recall, false-face pictures) of the best F1 among scores with few false faces."""
    faceless = sum(not row["faces"] for row in rows)
    table = []
    for score in np.arange(0.3, 0.9, 0.025).round(3):
        precision, recall = metrics.precision_recall(rows, found, score)
        false = metrics.pictures_with_false_face(rows, found, score)
        table.append((float(score), precision, recall, false))
        print(f"  {score:.3f} precision {precision:.3f} recall {recall:.3f} false faces in {false} of {faceless}")
    allowed = [row for row in table if row[3] <= MAX_FALSE_SHARE * faceless] or table[-1:]
    return max(allowed, key=lambda row: f1(row[1:3]))


def detect_all(network, calibration, pictures):
    """What the cascade gives with this calibration: its thresholds are calibrated scores."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "face.onnx"
        onnx.save(served_model(network, calibration), path)
        detector = Detector(path)
        return [(d.boxes, d.scores) for d in (detect(detector, picture) for picture in pictures)]


def fit_calibration(rows, found):
    results = []
    for row, (boxes, scores) in zip(rows, found):
        truth = np.float32([f["box"] for f in row["faces"]]).reshape(-1, 4)
        wanted = np.array([not f["ignore"] for f in row["faces"]], bool)
        results += metrics.match(truth, wanted, boxes, scores)
    scores, hits = (np.array(column, float) for column in zip(*results))
    return fit_platt(logit(scores), hits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    args = parser.parse_args()
    shared = dataset.shared_dir()
    rows = HeldOut(shared).rows
    pictures = [row["picture"] for row in rows]
    network, _ = load_network(args.checkpoint)
    calibration = fit_calibration(rows, detect_all(network, IDENTITY_CALIBRATION, pictures))
    print("calibration", calibration)
    # Forty face-free pictures say little about rare false faces; meter photos that no training saw say more.
    meters = [dataset.read_row(row) for row in dataset.meters(shared / "meter" / "train", held_out=True)]
    rows, pictures = rows + meters, pictures + [row["picture"] for row in meters]
    score, precision, recall, false = default_score(rows, detect_all(network, calibration, pictures))
    print(f"default score {score:.3f}: precision {precision:.3f}, recall {recall:.3f}, false faces in {false} pictures")
    saved = torch.load(args.checkpoint, map_location="cpu", weights_only=True)
    torch.save({**saved, "calibration": calibration, "default_score": score}, args.checkpoint)


if __name__ == "__main__":
    main()
