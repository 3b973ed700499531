"""Train the network that looks at one wheel alone: which number it shows."""

import numpy as np

import cells
import loop
import recombine
from augment import rng
from cells import Counter
from nets import DIGIT_CELL, DIGIT_H, DIGIT_W, Digit
from render.build import load_crops

RENDERED, SMALL, LIGHT = 0.35, 0.4, 0.3  # shares: of all, of real ones, and of those made light on dark
WHEELS = 5  # of a counter, at most
ZERO = 0.35  # as often as another number: counters begin with zeros


def shares_of(readings):
    """wheels x 10: a wheel between two numbers is one or the other."""
    rows = np.zeros((len(readings[0]), 10), np.float32)
    for reading in readings:
        rows[np.arange(len(rows)), [int(c) for c in reading]] += 1 / len(readings)
    return rows


class Samples:
    def __init__(self, args):
        self.crops = load_crops()
        self.real = cells.Real(args.all)

    def drawn(self) -> Counter:
        n = rng.randrange(4, 10)
        crops = self.crops if rng.random() < 0.7 else None
        return recombine.drawn(n, rng.randrange(0, min(4, n - 2) + 1), 0.25, crops)

    def sample(self, fold):
        """Some wheels of a counter, and what each shows."""
        seen = self.drawn() if rng.random() < RENDERED else self.real.draw(fold, SMALL)
        counter = Counter(np.array(seen.image), seen.centres, seen.top, seen.bottom, seen.red, display=seen.display)
        if not counter.display and rng.random() < LIGHT:
            x0, y0, x1, y1 = cells.window(counter, 0, rng.uniform(0, 0.2))
            recombine.recolour(counter.image, (max(0, x0), max(0, y0), x1, y1), "inverted")
        counter.image, _ = cells.camera(counter.image)
        shares = shares_of(seen.readings)
        odds = np.where(shares[:, 0] == 1, ZERO, 1)
        wheels = np.random.choice(len(shares), min(WHEELS, len(shares)), False, odds / odds.sum())
        centres = [counter.centres[i] for i in wheels]
        return cells.cut_cells(counter, centres, (DIGIT_W, DIGIT_H), DIGIT_CELL), shares[wheels]


def loss_of(model, batch, device):
    images, shares = batch
    logits = model(loop.images_to(device, images)).float()
    return {"digit": -(shares * logits.log_softmax(-1)).sum(1).mean()}


if __name__ == "__main__":
    args = loop.arguments("digit", 9500, 160, 3e-3).parse_args()
    samples = Samples(args)

    def make_batch(fold):
        made = [samples.sample(fold) for _ in range(args.batch // WHEELS)]
        return tuple(map(np.concatenate, zip(*made)))

    loop.train(args, Digit, make_batch, loss_of)
