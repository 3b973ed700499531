"""One resumable training loop for all three networks: warm-up, stable, decay; averaged weights; progress and ETA.

The checkpoint before the decay is kept as NAME-stable.pt. Resuming from it with more --steps continues the stable
phase, so that a run can be extended, or decayed twice on different data, without starting over.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.multiprocessing as mp

from data import RUNS


def arguments(name, steps, batch, lr):
    p = argparse.ArgumentParser()
    p.add_argument("--name", default=name, help="run name; checkpoints are runs/NAME.pt and runs/NAME-stable.pt")
    p.add_argument("--steps", type=int, default=steps)
    p.add_argument("--more", type=int, help="additional steps after --resume, instead of --steps")
    p.add_argument(
        "--minutes", type=float, help="stop after this many minutes, decay included, if --steps are not reached"
    )
    p.add_argument("--decay", type=int, default=steps // 4, help="steps of the decay at the end")
    p.add_argument("--batch", type=int, default=batch)
    p.add_argument("--lr", type=float, default=lr)
    p.add_argument("--resume", type=Path, help="checkpoint to continue from")
    p.add_argument("--all", action="store_true", help="train on the held slice too (final run)")
    p.add_argument("--leave-out", default="", help="sources never to train on, separated by commas")
    p.add_argument(
        "--own-share", type=float, default=0.3, help="share of own photos (data.py --data), if there are any"
    )
    p.add_argument("--rendered-share", type=float, default=0.3, help="share of rendered meters, if there are any")
    p.add_argument("--workers", type=int, default=1)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--device", default="auto")
    p.add_argument("--check-every", type=int, default=1000)
    p.add_argument(
        "--bf16",
        action=argparse.BooleanOptionalAction,
        default=torch.cuda.is_available(),
        help="bfloat16 in the forward pass: for GPUs, and processors that have it; others take 2.5 to 3 times as long",
    )
    return p


def device_of(name: str) -> torch.device:
    return torch.device(("cuda" if torch.cuda.is_available() else "cpu") if name == "auto" else name)


def rate(step, left, args) -> float:
    return args.lr * min(1, (step + 1) / 200) * (1 if left > args.decay else max(0.01, left / max(1, args.decay)))


def images_to(device, batch: np.ndarray) -> torch.Tensor:
    """uint8 NHWC to float NCHW in [-0.5, 0.5], stored channels last."""
    return torch.from_numpy(batch).to(device).permute(0, 3, 1, 2).float().div_(255).sub_(0.5)


def _produce(make_batch, queue, seed):
    import cv2

    import augment

    cv2.setNumThreads(0)
    torch.set_num_threads(1)
    augment.seed(seed)
    while True:
        queue.put(make_batch())


class Averaged:
    """Exponential moving average of the weights and the batch statistics."""

    def __init__(self, model, state=None):
        self.state = state or {k: v.clone() for k, v in model.state_dict().items()}

    def update(self, model, step):
        d = min(0.998, (step + 1) / (step + 20))
        with torch.no_grad():
            for k, v in model.state_dict().items():
                if v.dtype == torch.float32:
                    self.state[k].mul_(d).add_(v, alpha=1 - d)
                else:
                    self.state[k].copy_(v)


def train(args, model, make_batch, loss_of, check):
    """loss_of(model, batch, device) -> dict of losses (summed); check(model) -> dict of figures on the held slice."""
    torch.set_num_threads(args.threads)
    device = device_of(args.device)
    RUNS.mkdir(parents=True, exist_ok=True)
    model = model.to(device).to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=1e-3)
    start, average = 0, None
    if args.resume:
        saved = torch.load(args.resume, map_location=device)
        model.load_state_dict(saved["model"])
        if "optimiser" in saved:
            optimiser.load_state_dict(saved["optimiser"])
        # Committed checkpoints are stored in half precision.
        state = {k: v.float() if v.dtype == torch.float16 else v for k, v in saved["average"].items()}
        start, average = saved["step"], Averaged(model, state)
    average = average or Averaged(model)
    if args.more:
        args.steps = start + args.more
    queue = mp.Queue(6)
    for i in range(args.workers):
        mp.Process(target=_produce, args=(make_batch, queue, 1000 * start + 17 + i), daemon=True).start()

    def spent() -> float:
        """CPU minutes of training and of the processes that make its batches."""
        if not Path("/proc/self/stat").exists():
            return time.process_time() / 60
        stats = [Path(f"/proc/{m.pid}/stat").read_text().rsplit(")", 1)[1].split() for m in mp.active_children()]
        makers = sum(float(ticks) for stat in stats for ticks in stat[11:13])
        return (time.process_time() + makers / os.sysconf("SC_CLK_TCK")) / 60

    def save(suffix=""):
        path = RUNS / f"{args.name}{suffix}.pt"
        torch.save(
            {
                "model": model.state_dict(),
                "average": average.state,
                "optimiser": optimiser.state_dict(),
                "step": step + 1,
            },
            path,
        )

    began, shown, waited = time.time(), {}, 0.0
    print(
        f"{args.name}: {sum(p.numel() for p in model.parameters()):,} weights, steps {start}..{args.steps}, {device}",
        flush=True,
    )
    step, left = start - 1, args.steps - start
    stable = left <= args.decay
    while left > 0:
        step += 1
        for group in optimiser.param_groups:
            group["lr"] = rate(step, left, args)
        t = time.time()
        batch = queue.get(timeout=600)
        waited += time.time() - t
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=args.bf16):
            losses = loss_of(model, batch, device)
        optimiser.zero_grad()
        sum(losses.values()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5)
        optimiser.step()
        average.update(model, step)
        for k, v in losses.items():
            shown[k] = shown.get(k, v.item()) * 0.98 + 0.02 * v.item()
        each = (time.time() - began) / (step + 1 - start)
        left = args.steps - step - 1
        if args.minutes and step - start >= 50:  # the first steps are slow and say little
            left = min(left, int((args.minutes * 60 + began - time.time()) / each))
        if (step + 1) % 100 == 0:
            print(
                f"{args.name} {step + 1}/{args.steps} lr {rate(step, left, args):.1e} "
                + " ".join(f"{k} {v:.4f}" for k, v in shown.items())
                + f" {each * 1000:.0f} ms/step, waited {100 * waited / (time.time() - began):.0f} %, "
                f"ETA {each * left / 60:.1f} min, CPU {spent():.1f} min",
                flush=True,
            )
        if (step + 1) % args.check_every == 0 or left <= 0:
            live = {k: v.clone() for k, v in model.state_dict().items()}
            model.load_state_dict(average.state)
            model.eval()
            with torch.no_grad():
                print(f"{args.name} {step + 1} held slice:", check(model), flush=True)
            model.train()
            model.load_state_dict(live)
            save()
        if left <= args.decay and not stable:
            stable = True
            save("-stable")
