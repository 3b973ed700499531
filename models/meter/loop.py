"""One resumable training loop for all networks: warm-up, stable, decay; averaged weights; progress and ETA.

With --folds, four more networks learn from the same batches, but for those that show a fold of the small sources:
what they read of it stands for meters that nobody has seen (unseen.py).

The checkpoint before the decay is kept as NAME-stable.pt. Resuming from it with more --steps continues the stable
phase, so that a run can be extended, or decayed twice on different data, without starting over.
"""

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.multiprocessing as mp

import augment
from augment import rng
from data import FOLDS, RUNS
from whole import whole
from workers import received

DECAY_SHARE = 0.4  # of the run, at its end
SAVE_EVERY = 1000  # steps


def arguments(name, steps, batch, lr, rendered_share=None):
    """Options of a training; the defaults are what folds.py trains by, which limits the time and not the steps."""
    p = argparse.ArgumentParser()
    p.add_argument("--name", default=name, help="run name; checkpoints are runs/NAME.pt and runs/NAME-stable.pt")
    p.add_argument("--steps", type=int, default=steps)
    p.add_argument("--more", type=int, help="additional steps after --resume, instead of --steps")
    p.add_argument(
        "--minutes", type=float, help="stop after this many minutes, decay included, if --steps are not reached"
    )
    p.add_argument("--decay", type=int, help="steps of the decay at the end; otherwise two fifths of the run")
    p.add_argument("--batch", type=int, default=batch)
    p.add_argument("--lr", type=float, default=lr)
    p.add_argument("--resume", type=Path, help="checkpoint to continue from")
    p.add_argument("--all", action="store_true", help="train on the held slice too (final run)")
    p.add_argument(
        "--folds", action="store_true", help="train networks that never see a fold of the small sources, beside it"
    )
    if rendered_share is not None:
        p.add_argument("--rendered-share", type=float, default=rendered_share, help="of samples, if there are any")
    p.add_argument("--workers", type=int, default=1)
    p.add_argument(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        default=torch.cuda.is_available(),
        help="bfloat16 in the forward pass: for GPUs, and processors that have it; others take 2.5 to 3 times as long",
    )
    return p


def rate(args, step, left, decay) -> float:
    return args.lr * min(1, (step + 1) / 200) * (1 if left > decay else max(0.01, left / max(1, decay)))


def images_to(device, batch) -> torch.Tensor:
    """uint8 NHWC to float NCHW in [-0.5, 0.5], stored channels last."""
    return torch.as_tensor(batch).to(device).permute(0, 3, 1, 2).float().div_(255).sub_(0.5)


def _produce(args, make_batch, queue, seed):
    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    augment.seed(seed)
    while True:
        fold = rng.randrange(FOLDS) if args.folds else None
        queue.put((fold, make_batch(fold)))


class Learner:
    """One network in training: its weights, their exponential moving average (with the batch statistics), and the fold
    of small sources that it never sees (None: it sees all)."""

    def __init__(self, args, model, fold, device):
        self.args, self.fold, self.device, self.step = args, fold, device, 0
        self.tail = "" if fold is None else f"-fold{fold}"
        self.model = model.to(device).to(memory_format=torch.channels_last)
        self.optimiser = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=1e-3)
        average = self.model.state_dict()
        if args.resume:
            saved = torch.load(args.resume.with_stem(args.resume.stem + self.tail), map_location=device)
            self.model.load_state_dict(saved["model"])
            if "optimiser" in saved:
                self.optimiser.load_state_dict(saved["optimiser"])
            average, self.step = saved["average"], saved["step"]
        # Committed checkpoints are stored in half precision.
        self.average = {k: v.float() if v.dtype == torch.float16 else v.clone() for k, v in average.items()}

    def learn(self, loss_of, batch, lr) -> dict:
        for group in self.optimiser.param_groups:
            group["lr"] = lr
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.args.bf16):
            losses = loss_of(self.model, batch, self.device)
        self.optimiser.zero_grad()
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5)
        self.optimiser.step()
        share = 1 - min(0.998, (self.step + 1) / (self.step + 20))
        state = self.model.state_dict()
        floats = [k for k, v in state.items() if v.dtype == torch.float32]
        with torch.no_grad():
            torch._foreach_lerp_([self.average[k] for k in floats], [state[k] for k in floats], share)
        self.average |= {k: v.clone() for k, v in state.items() if v.dtype != torch.float32}
        self.step += 1
        return losses

    def save(self, suffix=""):
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
        }
        with whole(RUNS / f"{self.args.name}{suffix}{self.tail}.pt") as path:
            torch.save(state, path)


def train(args, network, make_batch, loss_of):
    """make_batch(fold): arrays and lists, of the small sources those of one fold alone (None: all).
    loss_of(model, batch, device): dict of losses (summed); the batch's arrays are tensors."""
    torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    RUNS.mkdir(parents=True, exist_ok=True)
    every = [Learner(args, network(), fold, device) for fold in (None, *range(FOLDS if args.folds else 0))]
    first, start = every[0], every[0].step
    if args.more:
        args.steps = start + args.more
    if start >= args.steps:
        raise SystemExit(f"{args.resume} has {start} steps, of {args.steps}: --more adds some")
    queue = mp.Queue(6)
    workers = []
    for i in range(args.workers):
        given = args, make_batch, queue, 1000 * start + 17 + i
        workers.append(mp.Process(target=_produce, args=given, daemon=True))
        workers[i].start()

    began, shown, waited = time.time(), {}, 0.0
    weights = sum(p.numel() for p in first.model.parameters())
    print(f"{args.name}: {weights:,} weights, steps {start}..{args.steps}, {device}", flush=True)
    step, left = start - 1, args.steps - start
    decay = args.decay if args.decay is not None else DECAY_SHARE * left
    decaying = left <= decay
    while left > 0:
        step += 1
        lr = rate(args, step, left, decay)
        t = time.time()
        fold, batch = received(queue, workers)
        waited += time.time() - t
        batch = [torch.from_numpy(b).to(device) if isinstance(b, np.ndarray) else b for b in batch]
        for learner in every:
            if learner.fold is None or learner.fold != fold:
                losses = learner.learn(loss_of, batch, lr)
                if learner is first:
                    shown = {k: torch.lerp(shown.get(k, v.detach()), v.detach(), 0.02) for k, v in losses.items()}
        each = (time.time() - began) / (step + 1 - start)
        left = args.steps - step - 1
        if args.minutes and step - start >= 50:  # the first steps are slow and say little
            left = min(left, int((args.minutes * 60 + began - time.time()) / each))
            if args.decay is None:
                decay = DECAY_SHARE * (step + 1 - start + left)
        if (step + 1) % 100 == 0:
            print(
                f"{args.name} {step + 1}/{args.steps} lr {lr:.1e} "
                + " ".join(f"{k} {v.item():.4f}" for k, v in shown.items())
                + f" {each * 1000:.0f} ms/step, waited {100 * waited / (time.time() - began):.0f} %, "
                f"ETA {each * left / 60:.1f} min",
                flush=True,
            )
        if (step + 1) % SAVE_EVERY == 0 or left <= 0:
            for learner in every:
                learner.save()
        if left <= decay and not decaying:
            decaying = True
            for learner in every:
                learner.save("-stable")
