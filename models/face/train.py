"""Trains the detector by ground truth and a teacher. A GPU is used where torch sees one.

    python train.py --minutes 20 --start checkpoints/imitated.pt --decay    from what imitate.py made

It writes checkpoints/last.pt, every three minutes and at the end, and checkpoints/best.pt, which scores best on the
held-out slice of the training pictures; `--start` takes either.
"""

import argparse
import copy
import ctypes
import random
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import get_ema_multi_avg_fn

import dataset
import heldout
import label
import targets
from checkpoint import load_checkpoint, save_checkpoint
from hints import Variances, map_losses
from network import FaceNetwork, mixed_precision, normalise, whiten
from teacher import Teacher

HERE = Path(__file__).resolve().parent
WARMUP_STEPS = 200
FIT_BATCHES = 12
LOSS_WEIGHTS = {"score": 1.0, "box": 2.0, "landmarks": 0.25}
DECAY_SHARE = 0.6  # of the run, at its end


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--start", help="begin with the weights of this checkpoint")
    parser.add_argument("--decay", action="store_true", help="bring the learning rate to zero towards the end")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument(
        "--hints", type=float, nargs=2, default=(5.0, 5.0), help="weight of the teacher's maps, at first and at last"
    )
    parser.add_argument("--batch", type=int, default=16, help="crops of 320 pixels a step; larger crops count more")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--check-minutes", type=float, default=12, help="between looks at the held-out slice")
    parser.add_argument("--folder", type=Path, default=HERE / "checkpoints")
    return parser.parse_args()


class Run:
    """A network in training, and its mean over the steps, which is what is saved."""

    def __init__(self, network, variances, rate, folder, device):
        self.network, self.mean = network, copy.deepcopy(network).eval()
        self.variances, self.folder, self.device = variances, folder, device
        self.step, self.best = 0, -1.0
        decayed = [p for p in network.parameters() if p.ndim > 1]
        plain = [p for p in network.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 5e-4}, {"params": plain, "weight_decay": 0.0}], lr=rate
        )

    @torch.no_grad()
    def average(self):
        keep = min(0.999, (self.step + 1) / (self.step + 20))
        update = get_ema_multi_avg_fn(keep)
        update(list(self.mean.state_dict().values()), list(self.network.state_dict().values()), None)

    def save(self, name):
        save_checkpoint(self.folder / name, self.mean)


def keep_freed_memory():
    """Has glibc keep large freed blocks: giving every tensor back to the system costs 15 % of a CPU step."""
    if sys.platform == "linux":
        trim_threshold, top_pad, mmap_max = -1, -2, -4
        libc = ctypes.CDLL("libc.so.6")
        for option, value in ((mmap_max, 0), (trim_threshold, 2**31 - 1), (top_pad, 2**28)):
            libc.mallopt(option, value)


def as_pixels(batch, device):
    """uint8 NHWC to float NCHW; the storage stays channels-last."""
    return batch.to(device).permute(0, 3, 1, 2).float()


def train_step(run, teacher, batch, rate, hint_weight):
    """One optimiser step; returns the losses and the student's best score in each picture."""
    crops, faces, indices = batch
    device = run.device
    pixels = as_pixels(crops, device)
    known, taught = teacher(pixels)
    with mixed_precision(device):
        features = run.network.features(normalise(pixels))
        maps = run.network.head(features)
    has_faces = torch.tensor(indices, device=device) < 0
    hints = map_losses(run.variances, features, taught, [score for score, *_ in known], has_faces)
    hints = sum(hints.values()) / len(hints)
    cells = targets.Cells.of(maps)
    values = targets.flatten(maps)
    teacher_scores = torch.cat([s.flatten(1) for s, *_ in known], 1)
    teacher_boxes = targets.decode_boxes(cells, targets.flatten([b for _, b, _ in known]))
    with torch.no_grad():
        student = torch.sigmoid(values[..., 0]), targets.decode_boxes(cells, values[..., 1:5])
        rows = torch.from_numpy(np.concatenate(faces)).to(device)
        picture = torch.repeat_interleave(torch.arange(len(faces)), torch.tensor([len(f) for f in faces])).to(device)
        target = targets.build(cells, student, (teacher_scores, teacher_boxes), rows, picture, has_faces)
    parts = targets.losses(cells, values, target, targets.flatten([k for *_, k in known]))
    loss = sum(w * part for w, part in zip(LOSS_WEIGHTS.values(), parts)) + hint_weight * hints
    for group in run.optimiser.param_groups:
        group["lr"] = rate
    run.optimiser.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(run.network.parameters(), 5.0)
    run.optimiser.step()
    run.step += 1
    run.average()
    return torch.stack([*parts, hints]).tolist(), student[0].amax(1).tolist()


def main():
    args = arguments()
    keep_freed_memory()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    shared = dataset.training_data()
    network = load_checkpoint(args.start)[0] if args.start else FaceNetwork()
    network.to(device, memory_format=torch.channels_last)
    print(f"{device}, {sum(p.numel() for p in network.parameters())} parameters, {network.config}", flush=True)
    held_out = heldout.held_out_rows(shared)
    pictures = dataset.TrainingPictures(shared, label.joined_faces)
    labelled = sum(label.has_labels(row["faces"]) for row in pictures.faces)
    print(f"{labelled} of the pictures with faces have labels", flush=True)
    pixels = args.batch * 320 * 320
    next_batch, hardness = dataset.start_workers(pictures, args.workers, random.randrange(2**31), pixels)
    teacher = Teacher(dataset.teacher_file(shared), device)

    def some_pixels():
        return (as_pixels(next_batch()[0], device) for _ in range(FIT_BATCHES))

    variances = Variances(teacher(pixels)[1] for pixels in some_pixels())
    whiten(network, lambda pixels: network(normalise(pixels)), some_pixels())
    run = Run(network, variances, args.rate, args.folder, device)

    start = last_save = last_check = time.time()
    names = (*LOSS_WEIGHTS, "hints")
    crops, sums = 0, np.zeros(len(names))
    while (elapsed := time.time() - start) < args.minutes * 60:
        rate = args.rate * min(1, (run.step + 1) / WARMUP_STEPS)
        share = elapsed / (args.minutes * 60)
        if args.decay:
            rate *= min(1, max(0.01, 1 - share) / DECAY_SHARE)
        hint_weight = args.hints[0] + (args.hints[1] - args.hints[0]) * share
        batch = next_batch()
        parts, scores = train_step(run, teacher, batch, rate, hint_weight)
        for index, score in zip(batch[2], scores):
            if index >= 0:
                hardness[index] = 0.7 * hardness[index] + 0.3 * score
        crops += len(batch[0])
        sums += parts
        now = time.time()
        if run.step % 100 == 0:
            speed, left = run.step / (now - start), args.minutes - (now - start) / 60
            means = " ".join(f"{name} {v:.4f}" for name, v in zip(names, sums / 100))
            print(f"step {run.step} {means} | {speed:.2f} steps/s, {crops} crops, {left:.0f} min left", flush=True)
            sums[:] = 0
        if now - last_check > args.check_minutes * 60:
            last_check = now
            check(run, held_out)
        if now - last_save > 180:
            last_save = now
            run.save("last.pt")
    check(run, held_out)
    run.save("last.pt")


def check(run, held_out):
    result = heldout.measure(run.mean, held_out, run.device)
    print(f"held out at step {run.step}: {result}", flush=True)
    if not result["ap"] <= run.best:  # of no faces held out it is no number, and the latest is as good as any
        run.best = result["ap"]
        run.save("best.pt")


if __name__ == "__main__":
    main()
