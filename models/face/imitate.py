"""Starts a detector: each part learns, on its own, to turn the teacher's maps into the teacher's next ones.

    python imitate.py --minutes 20 --joint-minutes 20        writes checkpoints/imitated.pt, which train.py starts from

A part has few layers and gets its input from the teacher: it learns in minutes what the whole network, trained from
end to end, would need days for. Then the parts are joined, and learn together what errors of one do to the next.
"""

import argparse
import math
import random
import time
from functools import partial
from pathlib import Path

import cv2
import torch
import torch.nn.functional as F

import dataset
from checkpoint import save_checkpoint
from hints import Variances, map_losses
from network import FaceNetwork, mixed_precision, normalise, whiten
from teacher import Teacher
from train import FIT_BATCHES, as_pixels, keep_freed_memory

HERE = Path(__file__).resolve().parent
REFRAMES = (0.15, 0.5)  # shares of the time after which the units are whitened anew
WARMUP_STEPS = 30


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--joint-minutes", type=float, required=True)
    parser.add_argument("--batch", type=int, default=8, help="crops of 320 pixels a step; larger crops count more")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=HERE / "checkpoints")
    return parser.parse_args()


def head_loss(maps, known, has_faces):
    """The heads say the teacher's boxes and landmarks where it sees a face, and its scores where there can be one.

    has_faces [B]: false where the annotations know of none; what the teacher sees there is a mistake not to be learned.
    """
    loss = 0
    for values, (seen, box, points) in zip(maps, known):
        score = seen * has_faces[:, None, None]
        bce = F.binary_cross_entropy_with_logits(values[:, 0], score, reduction="none")
        gap = (torch.sigmoid(values[:, 0]) - score).abs().detach()
        places = (values[:, 1:] - torch.cat([box, points], 1)).abs().mean(1) * score
        loss = loss + ((gap * bce).sum() + places.sum()) / score.sum().clamp(min=8)
    return loss


def part_losses(network, teacher, variances, batch):
    """name of a part -> unexplained share of the variance of its map, each fed by the teacher; and the heads' loss."""
    pixels, has_faces = batch
    known, maps = teacher(pixels)
    maps["pixels"] = normalise(pixels)
    with mixed_precision(pixels.device):
        losses = {n: variances.unexplained(n, part(maps[i]), maps[n]) for n, (part, i) in network.parts().items()}
        losses["heads"] = head_loss(network.head(maps), known, has_faces)
    return losses


def joint_losses(network, teacher, variances, batch):
    """The same of the whole network; places that look like faces count more."""
    pixels, has_faces = batch
    known, maps = teacher(pixels)
    with mixed_precision(pixels.device):
        features = network.features(normalise(pixels))
        outputs = network.head(features)
    losses = map_losses(variances, features, maps, [score for score, *_ in known], has_faces)
    losses["heads"] = head_loss(outputs, known, has_faces)
    return losses


def set_scales(network, variances):
    """The last unit of every part begins with about the spread of its target."""
    for name, (part, _) in network.parts().items():
        unit = part[2] if name == "stem" else part[-1]
        unit.scale.data.copy_(1.5 * variances.spread[name])
        unit.bias.data.copy_(0.5 * variances.mean[name])


def main():
    args = arguments()
    keep_freed_memory()
    torch.set_num_threads(args.threads)
    cv2.setNumThreads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    shared = dataset.training_data()
    pictures = dataset.TrainingPictures(shared)
    next_batch, _ = dataset.start_workers(pictures, args.workers, random.randrange(2**31), args.batch * 320 * 320)
    teacher = Teacher(dataset.teacher_file(shared), device)
    network = FaceNetwork().to(device, memory_format=torch.channels_last)

    def draw():
        crops, _, indices = next_batch()
        return as_pixels(crops, device), torch.tensor(indices, device=device) < 0

    variances = Variances(teacher(pixels)[1] for pixels, _ in (draw() for _ in range(FIT_BATCHES)))
    set_scales(network, variances)
    for losses_of, minutes, rate, reframes in (
        (part_losses, args.minutes, 1e-2, (0, *REFRAMES)),
        (joint_losses, args.joint_minutes, 2e-3, (0,)),
    ):
        losses = partial(losses_of, network, teacher, variances)
        learn(network, losses, draw, minutes, rate, reframes)
        save_checkpoint(args.folder / "imitated.pt", network)


def learn(network, losses_of, draw, minutes, rate, reframes):
    """`reframes`: the shares of the time at which the convolutions are whitened anew."""
    start, due = time.time(), list(reframes)
    while (done := (time.time() - start) / max(60 * minutes, 1e-9)) < 1:
        if due and done >= due[0]:  # the moments belong to the frame, too
            due.pop(0)
            whiten(network, losses_of, (draw() for _ in range(FIT_BATCHES)))
            optimiser, step, sums = torch.optim.Adam(network.parameters(), betas=(0.9, 0.99)), 0, {}
        losses = losses_of(draw())
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / WARMUP_STEPS) * (0.5 + 0.5 * math.cos(math.pi * done))
        optimiser.zero_grad()
        sum(losses.values()).backward()
        optimiser.step()
        step += 1
        for name, loss in losses.items():
            sums[name] = sums.get(name, 0) + float(loss.detach())
        if step % 100 == 0:
            means = " ".join(f"{name} {value / 100:.3f}" for name, value in sums.items())
            print(f"left unexplained: {means} | {minutes * (1 - done):.1f} min left", flush=True)
            sums = {}


if __name__ == "__main__":
    main()
