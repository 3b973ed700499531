"""Train the mark network: where the fraction begins, and which cells are wheels.

Every number of wheels (4 to 9) goes with every number of decimals (0 to 4), on real counters recombined and on rendered
ones, so that neither says anything about the other.
"""

import numpy as np
import torch
import torch.nn.functional as F

import cells
import loop
import recombine
from augment import rng
from cells import Counter
from nets import FRACTIONS, Mark
from render.fonts import TEXT_FONTS, text

WORTH = 0.6  # of saying "cannot be told": said where no number of decimals is more probable than this
PAIRS = [(n, k) for n in range(4, 10) for k in range(1, FRACTIONS) if n - k >= 2]
SMALL = 0.45  # share of real counters that are of small sources
WITHOUT = 0.45  # share of counters without a fraction: where colour shows and nothing is marked, there is none


class Samples:
    def __init__(self, args):
        self.real = cells.Real(args.all)

    def counter(self, fold, printed) -> Counter:
        """A counter; `printed`: with something printed beside it that is no wheel."""
        n, k = rng.choice(PAIRS) if rng.random() >= WITHOUT else (rng.randrange(4, 10), 0)
        if rng.random() < 0.45:
            counter = recombine.drawn(n, k, displays=0.6)
        else:
            counter = self.real.draw(fold, SMALL)
            as_it_is = rng.random() < 0.12
            counter = recombine.recombine(counter, *((len(counter.centres), counter.red) if as_it_is else (n, k)))
        if printed:
            word = rng.choice(["0", "0", "0", "00", "x10", "x0.1", "m", "3", "kWh", "1"])
            recombine.print_after(counter, text(rng.choice(TEXT_FONTS), 40, word))
        return counter

    def sample(self, fold):
        """Cells, number of decimals (FRACTIONS: unknown; -1: not judged), and 1 for each cell that is a wheel."""
        printed = rng.random() < 0.15
        counter = cells.seen(lambda: self.counter(fold, printed))
        n = len(counter.centres)
        centres, wheel, length = list(counter.centres), [1.0] * n, counter.red
        p, around = cells.pitch_of(centres), [0.0, 0.0]
        pick = rng.random()
        if pick < (0.4 if printed else 0.05):  # one wheel too many, as the reader invents them
            where = rng.random()
            if printed or where < 0.4:
                at, x = n, centres[-1] + p * rng.uniform(0.8, 1.25)
            elif where < 0.6:
                at, x = 0, centres[0] - p * rng.uniform(0.8, 1.25)
            else:
                at = rng.randrange(1, n)
                x = (centres[at - 1] + centres[at]) / 2 + p * rng.uniform(-0.1, 0.1)
            centres.insert(at, x)
            wheel.insert(at, 0.0)
            length = length if at < n - counter.red else -1
        elif pick > 0.9 and n > 4:  # the first or the last one not read
            last = rng.random() < 0.7
            centres.pop(-1 if last else 0)
            wheel.pop()
            around[int(last)] = 1.0
            length = -1 if last else length
        ends = [centres[0] - p * rng.uniform(0.9, 1.15), centres[-1] + p * rng.uniform(0.9, 1.15)]
        if length > len(centres) - 2:
            length = -1
        # Without colour, or on a display, whose point is easily lost, nobody can say that there is none.
        if (length == 0 and (counter.display or counter.grey)) or not counter.shown:
            length = FRACTIONS
        return cells.cut_cells(counter, ends + centres), length, around + wheel


def loss_of(model, batch, device):
    images, counts, lengths, wheels = batch
    e = model.cells(loop.images_to(device, images)).float()
    rows = torch.zeros(len(counts), int(counts.max()) + 2, e.shape[1], device=device)
    there = torch.arange(rows.shape[1], device=device) < counts[:, None] + 2
    rows[there] = e
    with torch.autocast(device.type, enabled=False):
        logits, wheel = model(rows, counts)
    p = logits.softmax(-1)
    rows, told = (torch.nonzero(m)[:, 0] for m in (lengths >= 0, (lengths >= 0) & (lengths < FRACTIONS)))
    right = p[rows, lengths[rows]]
    worth = -(right + WORTH * p[rows, FRACTIONS] + 1e-6).log().mean()
    # Alone, the loss above soon finds that nothing can ever be told.
    length = F.cross_entropy(logits[told, :FRACTIONS], lengths[told])
    target = torch.tensor([v for w in wheels for v in w], device=device)
    return {
        "told": worth,
        "length": length * 0.5,
        "wheel": F.binary_cross_entropy_with_logits(wheel[there], target) * 0.5,
    }


if __name__ == "__main__":
    args = loop.arguments("mark", 2800, 160, 3e-3).parse_args()
    samples = Samples(args)

    def make_batch(fold):
        cut, lengths, wheels = zip(*[samples.sample(fold) for _ in range(args.batch)])
        return np.concatenate(cut), np.int64([len(c) - 2 for c in cut]), np.int64(lengths), wheels

    loop.train(args, Mark, make_batch, loss_of)
