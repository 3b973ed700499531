"""Train the strip reader: CTC over black and red digits, and whether the strip is an upright counter."""

import numpy as np
import torch
import torch.nn.functional as F

import loop
import strips
from augment import rng
from beside import print_beside
from geometry import rectangle
from nets import Read
from sampling import Sampler

LIGHT = 0.3  # share of wheels made light on dark: the two large sources are dark on light


def pick_label(photo):
    """A wheel between two numbers is one or the other: by labels drawn at random, the network learns the odds."""
    digits = photo.digits
    if photo.accept and rng.random() < 0.5:
        other = rng.choice(photo.accept)
        digits = other if len(other) == len(digits) else digits
    return strips.classes(digits, photo.red)


def sample(sampler, photo):
    """One strip: picture, classes, and 1 where it is an upright counter."""
    if photo.quad is None:
        return strips.random_strip(photo.pixels(1)), [], 0
    image, box = strips.patch_of(photo)
    if not photo.digits:
        return strips.positive(image, box), [], 0
    if rng.random() < 0.16:
        return strips.negative(image, box, photo.digits, photo.red), [], 0
    labels = pick_label(photo)
    pick = rng.random()
    if pick < 0.25:
        donor = None if photo.display else sampler.like(photo)
        if donor is not None:
            donor_image, donor_box = strips.patch_of(donor)
            image, labels = strips.transplant(
                image, box, labels, donor_image, donor_box, strips.classes(donor.digits, donor.red)
            )
    elif pick < 0.55:
        image, labels = strips.shuffle_wheels(image, box, labels, photo.display)
    if not photo.display and rng.random() < LIGHT:
        image = strips.light_on_dark(image, box, labels)
    if rng.random() < 0.15:
        x0, y0, w, h = box
        quad = rectangle(x0, y0, x0 + w, y0 + h)
        image = print_beside(image, quad, len(labels))
    return strips.positive(image, box, photo.display), labels, 1


def loss_of(model, batch, device):
    images, labels, upright = batch
    logits, legible = model(loop.images_to(device, images))
    log_p = logits.float().log_softmax(-1).permute(1, 0, 2)
    rows = [i for i, v in enumerate(labels) if v]
    lengths = torch.tensor([len(labels[i]) for i in rows])
    target = torch.tensor([c for i in rows for c in labels[i]], device=device)
    ctc = F.ctc_loss(log_p[:, rows], target, torch.full((len(rows),), log_p.shape[0]), lengths, zero_infinity=True)
    return {"ctc": ctc, "legible": F.binary_cross_entropy_with_logits(legible.float(), upright) * 0.3}


if __name__ == "__main__":
    args = loop.arguments("read", 5300, 256, 4e-3, 0.38).parse_args()
    sampler = Sampler(args, negatives=0.08)

    def make_batch(fold):
        images, labels, upright = zip(*[sample(sampler, sampler.pick(fold)) for _ in range(args.batch)])
        return np.stack(images), labels, np.float32(upright)

    loop.train(args, Read, make_batch, loss_of)
