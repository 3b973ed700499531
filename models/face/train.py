"""Trains the detector by ground truth and a teacher. Resumable; a GPU is used where torch sees one.

    python train.py --minutes 60 --start checkpoints/imitated.pt    constant rate, from what imitate.py made
    python train.py --minutes 20 --resume --decay                   rate to zero: gives the weights to serve

The checkpoint that scores best on the held-out slice of the training pictures is checkpoints/best.pt.
"""

import argparse
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
import label
import targets
from heldout import HeldOut
from hints import Variances, map_losses
from network import FaceNetwork, NetworkConfig, mixed_precision, normalise, whiten
from teacher import Teacher
from whole import whole

HERE = Path(__file__).resolve().parent
WARMUP_STEPS = 200
FIT_BATCHES = 12
LOSS_WEIGHTS = {"score": 1.0, "box": 2.0, "landmarks": 0.25}
DECAY_SHARE = 0.6  # of the run, at its end


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--resume", action="store_true", help="go on from checkpoints/last.pt")
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
    """Everything that a checkpoint holds."""

    def __init__(self, args, device):
        self.args, self.device = args, device
        self.step, self.seconds, self.best = 0, 0.0, -1.0
        saved = self._saved()
        network = FaceNetwork(NetworkConfig.from_dict(saved["config"]) if saved else NetworkConfig())
        if saved:
            network.load_state_dict(saved["model" if args.resume else "ema"])
        self.network = network.to(device, memory_format=torch.channels_last)
        self.variances = Variances(saved["variances"] if args.resume else None)
        decayed = [p for p in network.parameters() if p.ndim > 1]
        plain = [p for p in network.parameters() if p.ndim <= 1]
        self.optimiser = torch.optim.AdamW(
            [{"params": decayed, "weight_decay": 5e-4}, {"params": plain, "weight_decay": 0.0}], lr=args.rate
        )
        if args.resume:
            if saved.get("optimiser"):
                self.optimiser.load_state_dict(saved["optimiser"])
            self.step, self.seconds, self.best = saved["step"], saved["seconds"], saved["best"]
        # Committed checkpoints are stored in half precision.
        ema = saved["ema"] if args.resume else network.state_dict()
        self.ema = {k: v.clone().to(device, torch.float32) for k, v in ema.items()}

    def _saved(self):
        path = self.args.folder / "last.pt" if self.args.resume else self.args.start
        return torch.load(path, map_location="cpu", weights_only=True) if path else None

    @torch.no_grad()
    def average(self, done):
        keep = min(0.999, (done + 1) / (done + 20))
        get_ema_multi_avg_fn(keep)(list(self.ema.values()), list(self.network.state_dict().values()), None)

    def averaged_network(self):
        network = FaceNetwork(self.network.config).to(self.device, memory_format=torch.channels_last)
        network.load_state_dict(self.ema)
        return network.eval()

    def save(self, name):
        self.args.folder.mkdir(parents=True, exist_ok=True)
        state = {
            "config": self.network.config.to_dict(),
            "model": self.network.state_dict(),
            "ema": self.ema,
            "variances": self.variances.state(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "seconds": self.seconds,
            "best": self.best,
        }
        with whole(self.args.folder / name) as path:
            torch.save(state, path)


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
    return torch.stack([*parts, hints]).tolist(), student[0].amax(1).tolist()


def prepare(run, teacher, queue):
    """Before the first step: how much the teacher's maps vary, and the frame of every unit."""

    def batches():
        return (as_pixels(queue.get()[0], run.device) for _ in range(FIT_BATCHES))

    run.variances.fit(teacher(pixels)[1] for pixels in batches())
    whiten(run.network, lambda pixels: run.network(normalise(pixels)), batches())
    run.ema = {k: v.clone() for k, v in run.network.state_dict().items()}


def main():
    args = arguments()
    keep_freed_memory()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    shared = dataset.training_data()
    run = Run(args, device)
    print(f"{device}, {sum(p.numel() for p in run.network.parameters())} parameters, {run.network.config}", flush=True)
    held_out = HeldOut(shared)
    pictures = dataset.TrainingPictures(shared, label.joined_faces)
    labelled = sum(label.label_file(row).is_file() for row in pictures.faces)
    print(f"{labelled} of the pictures with faces have labels", flush=True)
    pixels = args.batch * 320 * 320
    queue, hardness, workers = dataset.start_workers(pictures, args.workers, random.randrange(2**31), pixels)
    teacher = Teacher(dataset.teacher_file(shared), device)
    if not args.resume:
        prepare(run, teacher, queue)

    start = last_save = last_check = time.time()
    names = (*LOSS_WEIGHTS, "hints")
    done, crops, sums = 0, 0, np.zeros(len(names))
    while (elapsed := time.time() - start) < args.minutes * 60:
        rate = args.rate * min(1, (done + 1) / WARMUP_STEPS)
        share = elapsed / (args.minutes * 60)
        if args.decay:
            rate *= min(1, max(0.01, 1 - share) / DECAY_SHARE)
        hint_weight = args.hints[0] + (args.hints[1] - args.hints[0]) * share
        batch = queue.get()
        parts, scores = train_step(run, teacher, batch, rate, hint_weight)
        for index, score in zip(batch[2], scores):
            if index >= 0:
                hardness[index] = 0.7 * hardness[index] + 0.3 * score
        run.step += 1
        done += 1
        crops += len(batch[0])
        sums += parts
        run.average(done)
        now = time.time()
        if done % 100 == 0:
            speed, left = done / (now - start), args.minutes - (now - start) / 60
            means = " ".join(f"{name} {v:.4f}" for name, v in zip(names, sums / 100))
            print(f"step {run.step} {means} | {speed:.2f} steps/s, {crops} crops, {left:.0f} min left", flush=True)
            sums[:] = 0
        if now - last_check > args.check_minutes * 60:
            last_check = now
            check(run, held_out)
        if now - last_save > 180:
            run.seconds += now - last_save
            last_save = now
            run.save("last.pt")
    check(run, held_out)
    run.seconds += time.time() - last_save
    run.save("last.pt")
    for worker in workers:
        worker.terminate()


def check(run, held_out):
    result = held_out.measure(run.averaged_network(), run.device)
    print(f"held out at step {run.step}: {result}", flush=True)
    if not result["ap"] <= run.best:  # of no faces held out it is no number, and the latest is as good as any
        run.best = result["ap"]
        run.save("best.pt")


if __name__ == "__main__":
    main()
