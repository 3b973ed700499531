"""Trains the verifier on what detectors propose. Resumable.

    python train_verifier.py --minutes 30               rate to zero over the run
    python train_verifier.py --minutes 30 --resume      the same again from checkpoints/verifier/last.pt

The first start mines the training pictures (ten minutes) and keeps the result in checkpoints/mined.pkl.
"""

import argparse
import math
import pickle
import random
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from torch import multiprocessing

import dataset
import mine
from hints import NeckHints
from network import STRIDES, normalise
from teacher import Teacher
from train import as_pixels, keep_freed_memory
from verifier import Verifier, VerifierConfig, as_input
from verifier_examples import Examples, feed
from verifier_heldout import HeldOutProposals

HERE = Path(__file__).resolve().parent
DETECTOR = HERE / "face-detector.onnx"
LOSS_WEIGHTS = {"logit": 1.0, "box": 0.5, "landmarks": 0.5, "hints": 0.4}
WARMUP_STEPS = 200
KEPT = 0.998  # of the average, a step
HINTED = 2  # the last stages learn the teacher's features of the same strides, 8 and 16
LONGEST_STEP = 3  # seconds; a step that took longer was interrupted and is not counted as training


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--resume", action="store_true", help="start from last.pt")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--check-minutes", type=float, default=5, help="between looks at the held-out slice")
    parser.add_argument("--folder", type=Path, default=HERE / "checkpoints" / "verifier")
    parser.add_argument("--mined", type=Path, default=HERE / "checkpoints" / "mined.pkl")
    return parser.parse_args()


def losses(values, labels, auxiliary):
    logits, rest = values
    known = torch.isfinite(auxiliary)
    distance = F.smooth_l1_loss(rest, torch.nan_to_num(auxiliary), reduction="none", beta=0.1) * known
    mean = lambda part: distance[:, part].sum() / known[:, part].sum().clamp(min=1)
    return F.binary_cross_entropy_with_logits(logits, labels), mean(slice(0, 4)), mean(slice(4, None))


def necks(maps):
    return [maps[f"neck{stride}"] for stride in STRIDES[:HINTED]]


class Run:
    """Everything that a checkpoint holds."""

    def __init__(self, args):
        self.path, self.step = args.folder / "last.pt", 0
        saved = torch.load(self.path, weights_only=True) if args.resume else None
        config = VerifierConfig.from_dict(saved["config"]) if saved else VerifierConfig()
        self.network = Verifier(config).to(memory_format=torch.channels_last)
        self.average = Verifier(config).eval()
        if saved:
            self.network.load_state_dict(saved["model"])
            self.step = saved["step"]
        self.average.load_state_dict(saved["ema"] if saved else self.network.state_dict())
        self.hints = NeckHints(config.widths[-HINTED:])
        self.hinted = saved is not None and "hints" in saved
        if self.hinted:
            self.hints.load_state_dict(saved["hints"])
        parameters = [*self.network.parameters(), *self.hints.parameters()]
        self.optimiser = torch.optim.AdamW(parameters, lr=args.rate, weight_decay=1e-2)

    def fit_hints(self, teacher, queue):
        crops = (as_pixels(clean, "cpu") for _, clean, *_ in iter(queue.get, None))
        self.hints.fit(crops, lambda clean: self.average.maps(normalise(clean))[-HINTED:], lambda rgb: necks(teacher(rgb)[1]))

    def train(self, teacher, batch, rate):
        pixels, clean, labels, auxiliary = batch
        known, taught = teacher(as_pixels(clean, "cpu"))
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.network.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            maps = self.network.maps(as_input(pixels))
            values = self.network.judge(maps[-1])
            hints = self.hints(maps[-HINTED:], necks(taught), [score for score, *_ in known[:HINTED]])
        parts = *losses([v.float() for v in values], torch.from_numpy(labels), torch.from_numpy(auxiliary)), hints
        self.optimiser.zero_grad()
        sum(weight * part for weight, part in zip(LOSS_WEIGHTS.values(), parts)).backward()
        self.optimiser.step()
        self.step += 1
        with torch.no_grad():
            for kept, new in zip(self.average.state_dict().values(), self.network.state_dict().values()):
                kept.lerp_(new, 1 - min(KEPT, self.step / (self.step + 20))) if kept.is_floating_point() else kept.copy_(new)
        return [float(part.detach()) for part in parts]

    def save(self):
        state = {
            "config": self.network.config.to_dict(),
            "model": self.network.state_dict(),
            "ema": self.average.state_dict(),
            "hints": self.hints.state_dict(),
            "step": self.step,
        }
        torch.save(state, self.path.with_suffix(".tmp"))
        self.path.with_suffix(".tmp").replace(self.path)


def mined_examples(path, shared):
    if not path.is_file():
        path.write_bytes(pickle.dumps(mine.mine_all(shared, DETECTOR)))
    return Examples(pickle.loads(path.read_bytes()))


def start_worker(examples, count):
    context = multiprocessing.get_context("fork")
    queue = context.Queue(8)
    worker = context.Process(target=feed, args=(examples, queue, count, random.randrange(2**31)), daemon=True)
    worker.start()
    return queue, worker


def main():
    args = arguments()
    keep_freed_memory()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    shared = dataset.shared_dir()
    args.folder.mkdir(parents=True, exist_ok=True)
    examples = mined_examples(args.mined, shared)
    print(f"{len(examples.faces)} faces, {len(examples.hits)} proposals on them, {len(examples.misses)} elsewhere", flush=True)
    queue, worker = start_worker(examples, args.batch)
    held_out = HeldOutProposals(shared, DETECTOR)
    teacher = Teacher(dataset.teacher_file(shared), "cpu")
    run = Run(args)
    if not run.hinted:
        run.fit_hints(teacher, queue)
    check = lambda: print(f"held out at step {run.step}: {held_out.measure(run.average)}", flush=True)
    total, spent, done, sums = args.minutes * 60, 0.0, 0, np.zeros(len(LOSS_WEIGHTS))
    begun = last_check = time.time()
    while spent < total:
        tick = time.time()
        rate = args.rate * min(1, (done + 1) / WARMUP_STEPS) * (1 + math.cos(math.pi * spent / total)) / 2
        sums += run.train(teacher, queue.get(), rate)
        done += 1
        spent += min(time.time() - tick, LONGEST_STEP)
        if done % 200 == 0:
            means = " ".join(f"{name} {value:.4f}" for name, value in zip(LOSS_WEIGHTS, sums / 200))
            speed = done * args.batch / (time.time() - begun)
            print(f"step {run.step} {means} | {speed:.0f} crops/s, {(total - spent) / 60:.0f} min left", flush=True)
            sums[:] = 0
        if time.time() - last_check > args.check_minutes * 60:
            last_check = time.time()
            check()
            run.save()
    check()
    run.save()
    worker.terminate()


if __name__ == "__main__":
    main()
