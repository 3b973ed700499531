"""Goes on from the served weights with labels better than the teacher: `label.py`'s, joined with the ground truth.

    python refine.py --minutes 60 --start checkpoints/resumable.pt --fine 32 32     adds a head at stride 4
    python refine.py --minutes 60 --resume                                          goes on, in checkpoints/refined.pt

The rate falls to a tenth over the run and to zero with --decay. Faces are shown at every angle, and cut by the edge.
"""

import argparse
import dataclasses
import math
import random
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import augment
import dataset
import label
import metrics
import targets
from export import as_floats
from heldout import HeldOut
from network import FaceNetwork, NetworkConfig, normalise, whiten
from train import as_pixels, keep_freed_memory

HERE = Path(__file__).resolve().parent
SAME_FACE = 0.4  # overlap of a label's box and an annotator's
DOUBTFUL = 0.4  # a label of this score without annotation is neither wanted nor punished
UNSEEN_SCORE = 0.5  # wanted of a face that no pass of the teacher sees
UNKNOWN_SCORE = 0.75  # wanted of a face in a picture without labels
SAVE_SECONDS = 600
FIT_BATCHES = 8
KEEP = 0.998  # of the average of the weights, a step
COLUMNS = 16  # of a face in a crop: box, ignored, wanted score, ten numbers of landmarks


def joined_faces(row):
    """The annotated faces, with boxes, scores and landmarks of the label where one fits; doubtful labels ignored."""
    found = label.labels_of(row)
    score = UNKNOWN_SCORE if found is None else UNSEEN_SCORE
    faces = [{**face, "score": score, "landmarks": None} for face in row["faces"]]
    if found is None or not faces:
        return faces
    truth = np.float32([face["box"] for face in faces])
    overlaps = metrics.iou_matrix(found.boxes, truth)
    for i in np.argsort(-found.scores, kind="stable"):
        best = int(np.argmax(overlaps[i]))
        if overlaps[i, best] >= SAME_FACE:
            face = faces[best]
            if face["landmarks"] is None:
                mean = (np.float32(face["box"]) + found.boxes[i]) / 2
                # True, and how clear it is to see.
                score = 0.5 + 0.5 * float(found.scores[i])
                face.update(box=mean.tolist(), score=score, landmarks=found.landmarks[i])
        elif found.scores[i] >= DOUBTFUL and overlaps[i].max() < 0.1:
            faces.append({"box": found.boxes[i].tolist(), "ignore": True, "score": 0.0, "landmarks": None})
    return faces


def turned(matrix, size, rng):
    """The crop's matrix turned about its centre, by quarters and a little more; and the angle."""
    angle = math.radians(rng.choice((90, 180, 270)) + rng.gauss(0, 8) if rng.random() < 0.6 else rng.gauss(0, 35))
    turn = np.float32([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    centre = np.float32([size / 2, size / 2])
    shift = (turn @ (matrix[:, 2] - centre) + centre)[:, None]
    return np.hstack([turn @ matrix[:, :2], shift]).astype(np.float32), angle


class LabelledPictures(dataset.TrainingPictures):
    """Crops with the joined faces."""

    turned_share = 0.35

    def __init__(self, shared, log=print):
        super().__init__(shared, log)
        for row in self.faces:
            row["faces"] = joined_faces(row)
        labelled = sum(label.label_file(row).is_file() for row in self.faces)
        log(f"{labelled} of the pictures with faces have labels")

    def sample(self, size, rng, hardness):
        dice = rng.random()
        rows, index = self.faces, -1
        if dice < dataset.NOFACE_SHARE and self.noface:
            index = rng.choices(range(len(self.noface)), weights=[0.05 + h for h in hardness])[0]
            rows = self.noface[index : index + 1]
        elif dice < dataset.NOFACE_SHARE + dataset.METER_SHARE and self.meters:
            rows = self.meters
        portrait = dice > 1 - dataset.PORTRAIT_SHARE and bool(self.portraits)
        row = rng.choice(self.portraits if portrait else rows)
        wanted = augment.wanted_faces(row["faces"], augment.CLEAR_SIDE if portrait else 0)
        matrix, scale, angle = augment.crop_matrix(row["picture"], wanted, size, rng, portrait and bool(wanted))
        if not angle and rng.random() < self.turned_share:
            matrix, angle = turned(matrix, size, rng)
        image = augment.warp(row["picture"], matrix, scale, size)
        faces = faces_in_crop(row["faces"], matrix, scale, angle, size)
        return image, augment.disturb(image, faces[:, :5], rng), faces, index


def faces_in_crop(faces, matrix, scale, angle, size):
    """[M,COLUMNS]; landmarks are NaN where no label says them."""
    kept = []
    mirror = np.linalg.det(matrix[:, :2]) < 0
    for face in faces:
        rows = augment.transform_faces([face], matrix, scale, angle, size)
        if not len(rows):
            continue
        points = np.full((5, 2), np.nan, np.float32)
        if face["landmarks"] is not None:
            points = face["landmarks"] @ matrix[:, :2].T + matrix[:, 2]
            points = points[[1, 0, 2, 4, 3]] if mirror else points
        kept.append(np.concatenate([rows[0], [face["score"]], points.ravel()]))
    return np.float32(kept).reshape(-1, COLUMNS)


def losses(network, pixels, faces):
    """(score, box, landmark) losses, and the best score of each picture."""
    device = pixels.device
    with torch.autocast(device.type, dtype=torch.bfloat16):
        features = network.features(normalise(pixels))
    maps = network.head(features)
    cells, values = targets.Cells.of(maps), targets.flatten(maps)
    rows = torch.from_numpy(np.concatenate(faces)).to(device)
    picture = torch.repeat_interleave(torch.arange(len(faces)), torch.tensor([len(f) for f in faces])).to(device)
    with torch.no_grad():
        scores, boxes = torch.sigmoid(values[..., 0]), targets.decode_boxes(cells, values[..., 1:5])
        score, weight, owner = wanted_scores(cells, scores, boxes, rows, picture)
    gap = (score - scores).abs()
    bce = F.binary_cross_entropy_with_logits(values[..., 0], score, reduction="none")
    total = score.sum().clamp(min=8)
    at = (owner >= 0).nonzero(as_tuple=True)
    taken, strength = rows[owner[at]], score[at]
    predicted = targets.decode_boxes(cells, values[..., 1:5])[at]
    box = (extended_iou_loss(predicted, taken[:, :4]) * strength).sum()
    stride = cells.stride[at[1]]
    corner = torch.stack([cells.x, cells.y], -1)[at[1]]
    points = (values[..., 5:][at].view(-1, 5, 2) + corner[:, None]) * stride[:, None, None]
    side = (taken[:, 2:4] - taken[:, :2]).clamp(min=2).prod(1).sqrt()
    known = ~taken[:, 6].isnan()
    error = (points - taken[:, 6:].view(-1, 5, 2))[known] / side[known][:, None, None]
    landmark = F.smooth_l1_loss(error, torch.zeros_like(error), reduction="none", beta=0.02).sum((1, 2))
    parts = (gap * bce * weight).sum() / total, box / total, (landmark * strength[known]).sum() / total
    return parts, scores.amax(1)


def wanted_scores(cells, scores, boxes, rows, picture):
    """(wanted score, weight, row of the face or -1), each [B,N]."""
    n = len(cells.x)
    ignored = rows[:, 4] > 0
    owner, wanted = targets.assign(cells, scores, boxes, rows[~ignored, :4], picture[~ignored])
    places = (~ignored).nonzero()[:, 0]
    owned = owner >= 0
    owner[owned] = places[owner[owned]]
    wanted[owned] = wanted[owned] * rows[owner[owned], 5]
    weight = torch.ones_like(wanted)
    if ignored.any():
        height, width = cells.shapes[0]
        most = torch.tensor([width, height] * 2, device=rows.device) * cells.strides[0]
        visible = torch.minimum(rows[ignored, :4].clamp(min=0), most)
        index, valid = targets.neighbourhood(cells, visible, limit_sides=False)
        weight[(picture[ignored][:, None] * n + index)[valid]] = 0
        weight[owned] = 1
    return wanted.view(-1, n), weight.view(-1, n), owner.view(-1, n)


def extended_iou_loss(a, b):
    """EIoU: 1 - IoU, plus the gaps of centres, widths and heights over those of the hull, squared."""
    hull = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).clamp(min=1e-3)
    centre = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) / 2
    sizes = (a[..., 2:] - a[..., :2]) - (b[..., 2:] - b[..., :2])
    distance = centre.square().sum(-1) / hull.square().sum(-1)
    return 1 - targets.overlap(a, b) + distance + (sizes / hull).square().sum(-1)


class Run:
    """What a checkpoint holds."""

    def __init__(self, args, device):
        self.file = args.folder / "refined.pt"
        saved = torch.load(self.file if args.resume else args.start, map_location="cpu", weights_only=True)
        config = NetworkConfig.from_dict(saved["config"])
        if args.fine and not args.resume:
            config = dataclasses.replace(config, fine=tuple(args.fine))
        self.network = FaceNetwork(config)
        # Parts that the checkpoint lacks begin anew: a head that says no changes nothing.
        self.network.load_state_dict(as_floats(saved["model" if args.resume else "ema"]), strict=False)
        self.network.to(device, memory_format=torch.channels_last)
        self.step = saved["step"] if args.resume else 0
        self.calibration = saved.get("calibration")
        self.optimiser = torch.optim.AdamW(self.network.parameters(), lr=args.rate, weight_decay=1e-4)
        if args.resume:
            self.optimiser.load_state_dict(saved["optimiser"])
        state = as_floats(saved["ema"]) if args.resume else self.network.state_dict()
        self.ema = {k: v.clone().to(device) for k, v in state.items()}

    @torch.no_grad()
    def average(self):
        keep = min(KEEP, (self.step + 1) / (self.step + 20))
        for key, value in self.network.state_dict().items():
            self.ema[key].lerp_(value, 1 - keep)

    def averaged(self):
        network = FaceNetwork(self.network.config)
        network.load_state_dict(self.ema)
        return network.to(next(self.network.parameters()).device, memory_format=torch.channels_last).eval()

    def save(self):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        state = {
            "config": self.network.config.to_dict(),
            "model": self.network.state_dict(),
            "ema": self.ema,
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
        }
        if self.calibration:
            state["calibration"] = self.calibration
        torch.save(state, self.file.with_suffix(".tmp"))
        self.file.with_suffix(".tmp").replace(self.file)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", default=HERE / "checkpoints" / "resumable.pt")
    parser.add_argument("--resume", action="store_true", help="go on from checkpoints/refined.pt")
    parser.add_argument("--fine", type=int, nargs="*", help="widths of the units of a head at stride 4")
    parser.add_argument("--decay", action="store_true", help="bring the rate to zero, to serve the weights")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=8, help="crops of 320 pixels a step; larger crops count more")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--check-minutes", type=float, default=30, help="between looks at the held-out slice")
    parser.add_argument("--folder", type=Path, default=HERE / "checkpoints")
    return parser.parse_args()


def main():
    args = arguments()
    keep_freed_memory()
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    shared = dataset.training_data()
    run = Run(args, device)
    print(f"{device}, {sum(p.numel() for p in run.network.parameters())} parameters, {run.network.config}", flush=True)
    pictures = LabelledPictures(shared)
    held_out = HeldOut(shared)
    pixels = args.batch * 320 * 320
    queue, hardness, workers = dataset.start_workers(pictures, args.workers, random.randrange(2**31), pixels)
    if not args.resume:
        batches = (as_pixels(queue.get()[1], device) for _ in range(FIT_BATCHES))
        whiten(run.network, lambda batch: run.network(normalise(batch)), batches)
        run.ema = {k: v.clone() for k, v in run.network.state_dict().items()}
    start = last_save = last_check = time.time()
    sums = np.zeros(3)
    while (done := (time.time() - start) / (60 * args.minutes)) < 1:
        _, disturbed, faces, indices = queue.get()
        parts, scores = losses(run.network, as_pixels(disturbed, device), faces)
        fall = (1 - done) if args.decay else 0.1 + 0.9 * (1 - done)
        for group in run.optimiser.param_groups:
            group["lr"] = args.rate * fall * min(1, (run.step + 1) / 100)
        run.optimiser.zero_grad()
        (parts[0] + 2 * parts[1] + 0.5 * parts[2]).backward()
        nn.utils.clip_grad_norm_(run.network.parameters(), 5.0)
        run.optimiser.step()
        run.step += 1
        run.average()
        for index, score in zip(indices, scores.tolist()):
            if index >= 0:
                hardness[index] = 0.7 * hardness[index] + 0.3 * score
        sums += [float(p.detach()) for p in parts]
        if run.step % 50 == 0:
            means = " ".join(f"{name} {v:.4f}" for name, v in zip(("score", "box", "landmarks"), sums / 50))
            print(f"step {run.step} {means} | {args.minutes * (1 - done):.1f} min left", flush=True)
            sums[:] = 0
        now = time.time()
        if now - last_save > SAVE_SECONDS:
            last_save = now
            run.save()
        if now - last_check > 60 * args.check_minutes:
            last_check = now
            print(f"held out at step {run.step}: {held_out.measure(run.averaged(), device)}", flush=True)
    run.save()
    for worker in workers:
        worker.terminate()
    print(f"held out at step {run.step}: {held_out.measure(run.averaged(), device)}", flush=True)


if __name__ == "__main__":
    main()
