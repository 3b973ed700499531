"""Makes the detector's scores probabilities, by the held-out slice of the training pictures.

    python calibrate.py CHECKPOINT      writes the calibration into the checkpoint; export.py takes it from there

The default score is found by calibrate_verifier.py: it is the verifier's scores that count.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch

import dataset
import logistic
import metrics
from detector import Detector, detect
from export import IDENTITY_CALIBRATION, load_network, served_model
from heldout import HeldOut


def fit_platt(logits, hits):
    scale, offset = logistic.fit(np.stack([logits, np.ones_like(logits)], 1), hits)
    return {"scale": float(scale), "offset": float(offset)}


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
    return fit_platt(logistic.log_odds(scores), hits)


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
    saved = torch.load(args.checkpoint, map_location="cpu", weights_only=True)
    torch.save({**saved, "calibration": calibration}, args.checkpoint)


if __name__ == "__main__":
    main()
