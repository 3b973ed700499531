"""The slice of the training pictures that every choice is made by: checkpoints, thresholds, the cascade rule."""

import numpy as np
import torch

import dataset
import metrics
import targets
from detector import padded
from network import mixed_precision, normalise

CANDIDATE_SCORE = 0.05
MAX_CANDIDATES = 1500


def held_out_rows(shared):
    train = shared / "face" / "train"
    rows = dataset.annotations(train, held_out=True) + dataset.faceless(train, held_out=True)
    return [dataset.read_row(row) for row in rows]


@torch.no_grad()
def look(network, picture, device):
    """(boxes, scores) of one look of the network alone."""
    pixels = torch.from_numpy(padded(picture)).to(device).permute(2, 0, 1)[None].float()
    with mixed_precision(device):
        maps = network(normalise(pixels))
    cells = targets.Cells.of(maps)
    values = targets.flatten(maps)[0].float()
    scores = torch.sigmoid(values[:, 0])
    order = scores.argsort(descending=True)[:MAX_CANDIDATES]
    order = order[scores[order] > CANDIDATE_SCORE]
    boxes = targets.decode_boxes(cells, values[:, 1:5])[order].cpu().numpy()
    scores = scores[order].cpu().numpy()
    kept = metrics.suppress(boxes, scores)
    return boxes[kept], scores[kept]


def measure(network, rows, device):
    """AP of all annotated faces, of large ones, and false faces at the best F1's score."""
    found = [look(network, row["picture"], device) for row in rows]
    ap = metrics.average_precision(*metrics.match_all(rows, found))
    large = metrics.average_precision(*metrics.match_all(rows, found, lambda face: metrics.longer_side(face) >= 32))
    best = max(np.arange(0.3, 0.8, 0.05), key=lambda t: f1(metrics.precision_recall(rows, found, t)))
    precision, recall = metrics.precision_recall(rows, found, best)
    return {
        "ap": round(100 * ap, 2),
        "ap32": round(100 * large, 2),
        "score": round(float(best), 2),
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
        "false": metrics.pictures_with_false_face(rows, found, best),
    }


def f1(pair):
    precision, recall = pair
    return 2 * precision * recall / max(precision + recall, 1e-9)
