"""Finds how the verifier's logit is weighed with the detector's score, and the default score, by the held-out slice.

    python calibrate_verifier.py CHECKPOINT     writes both into the checkpoint; export_verifier.py takes them from there
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch

import dataset
import metrics
from detector import Detector, Verifier, detect
from export_verifier import load_verifier, served_model
from heldout import f1
from quantise import calibration_crops, quantised
from train_verifier import DETECTOR
from verifier import logits
from verifier_heldout import HeldOutProposals

MAX_FALSE_SHARE = 0.025  # of the face-free pictures of a kind


def default_score(rows, found):
    """(score, precision, recall, false-face pictures) of the best F1 among scores with few false faces of each kind."""
    kinds = [indices for indices in kinds_of_faceless(rows) if indices]
    table = []
    for score in np.arange(0.3, 0.9, 0.025).round(3):
        precision, recall = metrics.precision_recall(rows, found, score)
        false = [sum(bool((found[i][1] >= score).any()) for i in kind) for kind in kinds]
        table.append((float(score), precision, recall, false))
        told = ", ".join(f"{n} of {len(kind)}" for n, kind in zip(false, kinds))
        print(f"  {score:.3f} precision {precision:.3f} recall {recall:.3f} false faces in {told}")
    few = lambda false: all(n <= MAX_FALSE_SHARE * len(kind) for n, kind in zip(false, kinds))
    allowed = [row for row in table if few(row[3])] or table[-1:]
    return max(allowed, key=lambda row: f1(row[1:3]))


def kinds_of_faceless(rows):
    """Indices of the meter photos and of the other pictures without a face: one kind must not hide the other."""
    faceless = [i for i, row in enumerate(rows) if not row["faces"]]
    is_meter = lambda i: "meter" in rows[i]["path"].parts
    return [i for i in faceless if is_meter(i)], [i for i in faceless if not is_meter(i)]


def detect_all(model, rows):
    """What the cascade gives with this verifier."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "verifier.onnx"
        onnx.save(model, path)
        detector, verifier = Detector(DETECTOR), Verifier(path)
        found = [detect(detector, row["picture"], verifier=verifier) for row in rows]
    return [(f.boxes, f.scores) for f in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    args = parser.parse_args()
    network, _ = load_verifier(args.checkpoint)
    held_out = HeldOutProposals(dataset.shared_dir(), DETECTOR)
    fitted = held_out.fit([logits(network, pixels) for pixels in held_out.crops])
    weights = dict(zip(("verifier", "detector", "offset"), fitted.round(4).tolist()))
    print("weights", weights)
    served = quantised(served_model(network, weights), calibration_crops(dataset.shared_dir()))
    score, precision, recall, false = default_score(held_out.rows, detect_all(served, held_out.rows))
    print(f"default score {score:.3f}: precision {precision:.3f}, recall {recall:.3f}, false faces in {false} pictures")
    saved = torch.load(args.checkpoint, map_location="cpu", weights_only=True)
    torch.save({**saved, "weights": weights, "default_score": score}, args.checkpoint)


if __name__ == "__main__":
    main()
