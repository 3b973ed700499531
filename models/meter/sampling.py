"""Which photo comes next: weighted by source, so that one often-photographed meter does not dominate."""

from collections import defaultdict
from itertools import chain

import numpy as np

from augment import rng
from data import CACHE, FOLDS, OWN, fold_of, photos_if_any, photos_of

OWN_SHARE = 0.5  # of own photos (train_own.py), beside the SHARES of the others
SHARES = {"toloka": 0.42, "cn": 0.18}
SMALL_SHARE = 0.40  # of all small sources together
DISPLAYS = 3  # times as often as wheels of as many photos: only three small sources show them


def odds_of(photos):
    """Of a small source, against the others."""
    return len(photos) ** 0.6 * (DISPLAYS if photos[0].display else 1)


class Sampler:
    """Draws photos of the real bank and, where it exists, of the rendered bank."""

    def __init__(self, args, negatives=0.0):
        real, groups = photos_of(CACHE / "real"), defaultdict(list)
        for p in real:
            if p.quad is not None and (args.all or not p.held):
                groups[p.source].append(p)
        self.negatives = [p for p in real if p.quad is None]
        self.negative_share = negatives
        self.photos, self.cumulative = {}, {}
        small = [s for s in groups if s not in SHARES and not s.startswith(OWN)]
        own = {s: len(photos) for s, photos in groups.items() if s.startswith(OWN)}
        for fold in range(FOLDS) if args.folds else (None,):
            odds = {s: odds_of(groups[s]) for s in small if fold in (None, fold_of(s))}
            shares = {s: SHARES[s] for s in groups if s in SHARES}
            shares |= {s: SMALL_SHARE * v / sum(odds.values()) for s, v in odds.items()}
            shares |= {s: OWN_SHARE * v / sum(own.values()) for s, v in own.items()}
            self.photos[fold] = [p for s in shares for p in groups[s]]
            weights = [shares[p.source] / len(groups[p.source]) for p in self.photos[fold]]
            self.cumulative[fold] = np.cumsum(weights) / sum(weights)
        self.rendered, self.rendered_share = photos_if_any(CACHE / "rendered"), args.rendered_share
        self.hard = photos_if_any(CACHE / "hard")  # what was taken for a counter where there is none (hard.py)
        self.kinds = defaultdict(list)  # photos whose wheels may stand in for each other's
        for p in chain(*groups.values()):
            if not p.accept:
                self.kinds[p.source, len(p.digits), p.red].append(p)
        print(
            f"{sum(map(len, groups.values()))} photos of {len(groups)} sources, {len(self.rendered)} rendered, "
            f"{len(self.negatives)} without a meter, {len(self.hard)} hard",
            flush=True,
        )

    def pick(self, fold):
        """With --folds, of the small sources those of this fold alone."""
        r = rng.random()
        if self.negatives and r < self.negative_share:
            return rng.choice(self.hard if self.hard and rng.random() < 0.6 else self.negatives)
        if self.rendered and r < self.negative_share + self.rendered_share:
            return rng.choice(self.rendered)
        photos = self.photos[fold]
        return photos[min(int(np.searchsorted(self.cumulative[fold], rng.random())), len(photos) - 1)]

    def like(self, photo):
        """Another photo of the same source with as many wheels, or None."""
        kind = self.kinds[photo.source, len(photo.digits), photo.red]
        other = rng.choice(kind) if kind else photo
        return None if other is photo else other
