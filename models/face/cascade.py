"""Which looks pay, where they go and how they are merged. The service implements the same rule.

A glance at a small copy of the whole picture looks for large faces: a fifth of the cost of the first look, and the
size at which the network knows them best. Where it is sure of one and sees no smaller one, it serves as the first
look. Elsewhere the first look sees the whole picture at a bounded size. Where neither has a face whose score says
that the picture stands upright, glances at the picture turned by quarters find faces that lie on their side or stand
on their head; where one of these is surer of a face than the upright looks, a look of the first one's size follows at
that quarter. Where the first look finds small faces, or hints of them, the second look goes to the rectangle around
them, enlarged as far as a budget of pixels allows, and another to its mirror image at a smaller size. At last, what may
or may not be a face is looked at by itself, as it is and mirrored.

The side of a box is the square root of its area; sides are in pixels of the overview, the picture at `overview_side`.
"""

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from metrics import SAME_FACE, iou_matrix

OTHER_BOX_WEIGHT = 0.3  # of another look's box beside the second one's, at equal scores: it saw the face smaller
MIRROR_WEIGHT = 0.4  # of a score in the mirror image of the second look
UNMIRRORED_SHARE = 0.8  # of its score is left to a face that the mirror image does not show
LARGEST_SOUGHT = 135  # side of the largest face that a second look is for, pixels there; its tiles would cut others
CLOSE_UP_SIDES = 2.5  # side of what is seen of a doubtful candidate, in sides of it
CLOSE_UP_SIDE = 64  # of the candidate there, pixels


def enclosing(low, high, width, height):
    """(left, top, right, bottom): all pixels of the picture between two corners."""
    left, top = (max(0, math.floor(v)) for v in low)
    return left, top, min(width, math.ceil(high[0])), min(height, math.ceil(high[1]))


@dataclass(frozen=True)
class CascadeRule:
    overview_side: int  # longest side of the overview, but for panoramas; never enlarged
    weak_score: float  # a candidate of this score may be a face
    sure_score: float  # a candidate of this score is taken for one
    upright_score: float  # a candidate of this score shows that the picture is not on its side
    turned_score: float  # a candidate of this score in a turned picture is taken for a face
    turned_side: float  # as long as it has this side
    large_side: float  # faces from here on are served by the glance
    glance_scale: float  # of the overview
    small_side: float  # faces below are served by a second look
    margin: float  # around the small faces, pixels of the overview
    second_pixels: int  # of the second look at most
    max_zoom: float  # of the picture's own pixels
    min_gain: float  # second scale over first; less does not pay
    keep_side: float  # from here on the first look is trusted inside the region
    lone_side: float  # from here on it keeps sure faces that the second does not see
    mirror_scale: float  # of the second look's mirror image over the second look; 0: there is none
    doubt_score: float  # a candidate from this score on, below `certain_score`, is looked at by itself
    certain_score: float
    doubt_side: float  # as long as it has this side

    @staticmethod
    def of(settings):
        """From the names of models/manifest.json, such as `weakScore`."""
        return CascadeRule(**{re.sub("[A-Z]", lambda c: "_" + c[0].lower(), k): v for k, v in settings.items()})

    def overview_scale(self, width, height):
        longer, shorter = max(width, height), min(width, height)
        # Panoramas have as many pixels as a picture that is three times as long as high.
        return min(1.0, self.overview_side * max(1.0, longer / shorter / 3) ** 0.5 / longer)

    def suffices(self, glance, scale):
        """Whether the glance serves as the first look; boxes in picture pixels, `scale` is that of the overview.

        A hint of a smaller face wants a closer look: the glance sees such faces badly.
        """
        large = glance.sides() * scale >= self.large_side
        hints = glance.scores[~large] >= self.weak_score
        return (glance.scores[large] >= self.sure_score).any() and not hints.any()

    def add_glance(self, first, glance, scale):
        """The first look with the glance's large faces."""
        return first.joined(glance.pick(glance.sides() * scale >= self.large_side)).suppressed()

    def may_be_turned(self, found):
        """Then the picture may lie on its side, and glances at it, turned, pay off.

        A face on its side often has a middling score, and a box that fits it badly: only a high score says enough.
        """
        return not (found.scores >= self.upright_score).any()

    def add_turned(self, found, glance, scale, least_score):
        """With the faces that a look at the turned picture gives this score."""
        sure = (glance.scores >= least_score) & (glance.sides() * scale >= self.turned_side)
        return found.joined(glance.pick(sure)).suppressed()

    def quarter(self, upright, glances, scale):
        """Which of the glances at the turned picture shows how it lies: surer of a face than upright looks; or None."""

        def surest(glance):
            return max(glance.scores[glance.sides() * scale >= self.turned_side], default=0)

        scores = [surest(glance) for glance in glances]
        best = int(np.argmax(scores))
        return best if scores[best] >= self.sure_score and scores[best] > max(upright.scores, default=0) else None

    def region(self, found, width, height, scale, first_scale):
        """((left, top, right, bottom) in picture pixels, scale of the second look), or None."""
        hints = found.pick(found.scores >= self.weak_score)
        sides = hints.sides()
        small = sides * scale < self.small_side
        if not small.any():
            return None
        low = hints.boxes[small, :2].min(0) - self.margin / scale
        high = hints.boxes[small, 2:].max(0) + self.margin / scale
        left, top, right, bottom = enclosing(low, high, width, height)
        inside = ((hints.centres() >= (left, top)) & (hints.centres() < (right, bottom))).all(1)
        largest = sides[inside & (sides * scale < self.keep_side)].max(initial=1e-9)
        affordable = math.sqrt(self.second_pixels / ((right - left) * (bottom - top)))
        zoom = min(self.max_zoom, affordable, LARGEST_SOUGHT / largest)
        return ((left, top, right, bottom), zoom) if zoom >= self.min_gain * first_scale else None

    def with_mirror(self, second, mirror):
        """The second look with what its mirror image says: mean scores and boxes, and its own faces at a low score.

        Only hints count, so that no score depends on the least one asked for.
        """
        mirror = mirror.pick(mirror.scores >= self.weak_score)
        same = iou_matrix(second.boxes, mirror.boxes) >= SAME_FACE
        same &= (second.scores >= self.weak_score)[:, None]
        best = np.where(same, mirror.scores, 0).max(1, initial=0)
        means = (1 - MIRROR_WEIGHT) * second.scores + MIRROR_WEIGHT * best
        scores = np.where(same.any(1), means, UNMIRRORED_SHARE * second.scores)
        alone = mirror.pick(~same.any(0))
        alone = replace(alone, scores=MIRROR_WEIGHT * alone.scores)
        return replace(with_mean_boxes(second, mirror), scores=scores).joined(alone).suppressed()

    def merge(self, first, second, region, width, height, scale):
        """Inside the region, small faces come from the second look, with the mean box where both saw them; others that
        the first has stay. Both looks are suppressed."""
        left, top, right, bottom = region[0]
        low, high = np.float32([left, top]), np.float32([right, bottom])
        inside = ((first.centres() >= low) & (first.centres() < high)).all(1)
        sides = first.sides() * scale
        # Enlarging makes a blurred face unrecognisable: that the second look does not see it says little.
        sure = (sides >= self.lone_side) & (first.scores >= self.sure_score)
        lone = sure & ~covered(first, second.pick(second.scores >= self.weak_score))
        # A face that the region cuts is seen whole by the first look.
        cut = ((second.boxes[:, :2] <= low + 1) & (low > 0)).any(1)
        cut |= ((second.boxes[:, 2:] >= high - 1) & (high < np.float32([width, height]))).any(1)
        whole = second.pick(~(cut & (second.sides() * scale >= self.keep_side)))
        # Less than a hint gives way to one: it is only there if scores as low are asked for.
        surer = whole.pick(whole.scores >= self.weak_score)
        stays = (first.scores >= self.weak_score) | ~covered(first, surer)
        kept = first.pick((~inside | (sides >= self.keep_side) | lone) & stays)
        added = whole.pick(~covered(whole, kept))
        return kept.joined(with_mean_boxes(added, first.pick(first.scores >= self.weak_score))).suppressed()

    def is_doubtful(self, found, scale):
        """Which candidates are worth a look of their own: what is no face seldom looks like one at another scale."""
        uncertain = (found.scores >= self.doubt_score) & (found.scores < self.certain_score)
        return uncertain & (found.sides() * scale >= self.doubt_side)

    @staticmethod
    def close_up(box, width, height):
        """((left, top, right, bottom) around a candidate, scale of the look at it)."""
        side = math.sqrt((box[2] - box[0]) * (box[3] - box[1]))
        x, y = (box[:2] + box[2:]) / 2
        half = CLOSE_UP_SIDES * side / 2
        return enclosing((x - half, y - half), (x + half, y + half), width, height), CLOSE_UP_SIDE / side

    def with_close_up(self, score, seen):
        """The mean of the log odds of a score and of the best in the close-ups, where it may be missing."""
        odds = [s / (1 - s) for s in (score, min(max(seen, self.weak_score), 1 - 1e-6))]
        return 1 - 1 / (1 + math.sqrt(odds[0] * odds[1]))


def with_mean_boxes(second, other):
    """Errors of two looks are partly independent. Landmarks stay those of the second."""
    if not len(other.scores):
        return second
    overlaps = iou_matrix(second.boxes, other.boxes)
    best = overlaps.argmax(1)
    weight = OTHER_BOX_WEIGHT * other.scores[best]
    share = np.where(overlaps.max(1) >= SAME_FACE, weight / (weight + second.scores), 0)[:, None]
    return replace(second, boxes=second.boxes + share * (other.boxes[best] - second.boxes))


def covered(some, others):
    """Which of `some` are the same face as one of `others`."""
    return (iou_matrix(some.boxes, others.boxes) >= SAME_FACE).any(1)
