import { roundScore } from '../../common/precision.js';
import type { Box, QuarterTurns, Region, Size } from '../../image/picture.js';
import type { CascadeRule } from './face-model.js';
import {
  area,
  type Candidate,
  enclosing,
  intersectionOverUnion,
  isCentredIn,
  isCut,
  isSameFace,
  sameFaceOverlap,
  suppress,
} from './geometry.js';

// Which looks pay off, where they go and how they are merged; `models/face/cascade.py` is the same rule for training.
//
// A glance at a small copy of the whole picture looks for large faces, at a fifth of the cost of the first look and at
// the size at which the network knows them best. If it is confident about one and sees no smaller one, it serves as the
// first look. Otherwise the first look covers the whole picture at a limited size. If neither has a face whose score shows
// that the picture is upright, glances at the picture turned by quarters find faces that are on their side or upside down;
// if one is surer of a face than the upright looks, a look of the first one's size follows at that quarter.
// If the first look finds small faces, or hints of them, the second covers the rectangle around them, enlarged as far as a
// budget of pixels allows, and another covers its mirror image at a smaller size. At last, what may or may not be a face is
// looked at by itself, as it is and mirrored.

/** Weight of another look's box beside the second's, at equal scores: it saw the face smaller. */
const otherBoxWeight = 0.3;

/** Weight of a score in the mirror image of the second look. */
const mirrorWeight = 0.4;

/** The share of its score that is left to a face that the mirror image does not show. */
const unmirroredShare = 0.8;

/** Side of a close-up, in sides of the face in its middle, and the side of that face in it, pixels. */
const [closeUpSides, closeUpSide] = [2.5, 64];

/**
 * Side of the largest face that a second look is for, pixels there: none is larger in pictures of 1,024 pixels, by which
 * the rule was chosen. More detail only costs time, and the tiles of the look would cut the face.
 */
const largestSought = 135;

export interface CloserLook {
  /** In the pixels of what is looked at. */
  readonly region: Region;
  /** Scale of the look, of these pixels. */
  readonly zoom: number;
}

/** Panoramas are longer than so many times their height: their overview has as many pixels as that of such a picture. */
const longestPlain = 3;

/** The rule for pictures of one size. All boxes are in the picture's pixels. */
export function createCascade(rule: CascadeRule, size: Size) {
  const [longer, shorter] = [Math.max(size.width, size.height), Math.min(size.width, size.height)];
  const overviewSide = rule.overviewSide * Math.sqrt(Math.max(1, longer / shorter / longestPlain));
  const overviewScale = Math.min(1, overviewSide / longer);
  /** Whether it may be a face. What is less, there only if scores as low are asked for, guides no look and no mean. */
  const isHint = ({ score }: Candidate): boolean => score >= rule.weakScore;
  /** A test for faces of at least this side, in pixels of the overview like all sides of the rule. */
  const isOfSide =
    (side: number) =>
    ({ box }: Candidate): boolean =>
      Math.sqrt(area(box)) * overviewScale >= side;
  /** Whether the first look is trusted with it, also where a second one sees it larger. */
  const staysWithFirst = isOfSide(rule.keepSide);

  return {
    /** Scales of the overview and of the glance's copy, of the picture's own pixels. */
    overviewScale,
    glanceScale: overviewScale * rule.glanceScale,

    /** Whether the glance serves as the first look: it sees small faces badly, so a hint of one wants a closer look. */
    suffices(glance: readonly Candidate[]): boolean {
      const hints = glance.filter(isHint);
      return hints.some(({ score }) => score >= rule.sureScore) && hints.every(isOfSide(rule.largeSide));
    },

    /** The faces of the first look and the large ones of the glance. */
    addGlance(first: readonly Candidate[], glance: readonly Candidate[]): Candidate[] {
      return suppress([...first, ...glance.filter(isOfSide(rule.largeSide))]);
    },

    /**
     * Whether the picture may be on its side, and glances at turned copies pay off. A face on its side often has a
     * middling score, and a box that fits it badly: only a high score says enough.
     */
    mayBeTurned(found: readonly Candidate[]): boolean {
      return !found.some(({ score }) => score >= rule.uprightScore);
    },

    /** Adds the faces to which a look at the turned picture gives this score. */
    addTurned(found: readonly Candidate[], turned: readonly Candidate[], leastScore: number): Candidate[] {
      const sure = turned.filter(({ score }) => score >= leastScore);
      return suppress([...found, ...sure.filter(isOfSide(rule.turnedSide))]);
    },

    /** The quarter at which a glance is surer of a face than all upright looks: a closer look pays there. */
    quarterOf(
      upright: readonly Candidate[],
      glances: ReadonlyMap<QuarterTurns, readonly Candidate[]>,
    ): QuarterTurns | undefined {
      const isLargeEnough = isOfSide(rule.turnedSide);
      let best = Math.max(0, ...upright.map(({ score }) => score));
      let quarter: QuarterTurns | undefined;
      for (const [turns, glance] of glances) {
        for (const face of glance) {
          if (face.score < rule.sureScore || face.score <= best || !isLargeEnough(face)) continue;
          [best, quarter] = [face.score, turns];
        }
      }
      return quarter;
    },

    /** The second look that pays after a first one at `firstScale` which found this; undefined when none does. */
    planSecondLook(found: readonly Candidate[], firstScale: number): CloserLook | undefined {
      const isNotSmall = isOfSide(rule.smallSide);
      const hints = found.filter(isHint);
      const small = hints.filter((face) => !isNotSmall(face)).map(({ box }) => box);
      if (small.length === 0) return undefined;
      const margin = rule.margin / overviewScale;
      const around = {
        xmin: Math.min(...small.map((b) => b.xmin)) - margin,
        ymin: Math.min(...small.map((b) => b.ymin)) - margin,
        xmax: Math.max(...small.map((b) => b.xmax)) + margin,
        ymax: Math.max(...small.map((b) => b.ymax)) + margin,
      };
      const region = enclosing(around, size);
      const sought = hints.filter((face) => !staysWithFirst(face) && isCentredIn(face, region));
      const largest = Math.max(0, ...sought.map(({ box }) => Math.sqrt(area(box))));
      const affordable = Math.sqrt(rule.secondPixels / (region.width * region.height));
      const zoom = Math.min(rule.maxZoom, affordable, largestSought / largest);
      return zoom >= rule.minGain * firstScale ? { region, zoom } : undefined;
    },

    /**
     * The second look with what its mirror image says (mirrored back, in the same pixels): mean scores and boxes, and
     * its own faces at a low score.
     */
    withMirror(second: readonly Candidate[], mirror: readonly Candidate[]): Candidate[] {
      const mirrorHints = mirror.filter(isHint);
      const scoreOf = (face: Candidate): number => {
        const seen = isHint(face) ? mirrorHints.filter((other) => isSameFace(face, other)) : [];
        if (seen.length === 0) return unmirroredShare * face.score;
        return (1 - mirrorWeight) * face.score + mirrorWeight * Math.max(...seen.map(({ score }) => score));
      };
      const means = second.map((face) => ({ ...withMeanBox(face, mirrorHints), score: roundScore(scoreOf(face)) }));
      const secondHints = second.filter(isHint);
      const alone = mirrorHints
        .filter((face) => !isSeenBy(secondHints, face))
        .map((face) => ({ ...face, score: roundScore(mirrorWeight * face.score) }));
      return suppress([...means, ...alone]);
    },

    /**
     * The faces of both looks, each look suppressed: small ones inside the region come from the second, with the mean
     * box where both saw them; the first has those outside and large ones, and the hints that it keeps stay.
     */
    mergeLooks(first: readonly Candidate[], second: readonly Candidate[], region: Region): Candidate[] {
      const isNotTiny = isOfSide(rule.loneSide);
      // Enlarged, a blurred face is no longer recognisable: that the second look does not see it says little.
      const hints = second.filter(isHint);
      const isLone = (face: Candidate): boolean =>
        face.score >= rule.sureScore && isNotTiny(face) && !isSeenBy(hints, face);
      // The first look saw a large face whole if the region cuts it.
      const whole = second.filter((face) => !(staysWithFirst(face) && isCut(face, region, size)));
      const surer = whole.filter(isHint);
      // Less than a hint gives way to one.
      const fromFirst = first.filter(
        (face) =>
          (!isCentredIn(face, region) || staysWithFirst(face) || isLone(face)) &&
          (isHint(face) || !isSeenBy(surer, face)),
      );
      const fromSecond = whole.filter((face) => !isSeenBy(fromFirst, face));
      const firstHints = first.filter(isHint);
      return suppress([...fromFirst, ...fromSecond.map((face) => withMeanBox(face, firstHints))]);
    },

    /** Whether a face is worth a look of its own: what is none seldom looks like one at another size too. */
    isDoubtful(face: Candidate): boolean {
      return face.score >= rule.doubtScore && face.score < rule.certainScore && isOfSide(rule.doubtSide)(face);
    },

    /** With the mean of the log odds of its score and of the best in its close-ups, where it may be missing. */
    withCloseUp(face: Candidate, seen: readonly Candidate[]): Candidate {
      const scores = seen.filter((other) => isSameFace(face, other)).map(({ score }) => score);
      const odds = Math.sqrt(oddsOf(face.score) * oddsOf(Math.max(rule.weakScore, ...scores)));
      return { ...face, score: roundScore(odds / (1 + odds)) };
    },
  };
}

/** The look at a face by itself, with what is around it, in a picture of that size. */
export function closeUpOf({ box }: Pick<Candidate, 'box'>, size: Size): CloserLook {
  const side = Math.sqrt(area(box));
  const [x, y, half] = [(box.xmin + box.xmax) / 2, (box.ymin + box.ymax) / 2, (closeUpSides * side) / 2];
  const around = { xmin: x - half, ymin: y - half, xmax: x + half, ymax: y + half };
  return { region: enclosing(around, size), zoom: closeUpSide / side };
}

function oddsOf(score: number): number {
  const bounded = Math.min(score, 1 - 1e-6);
  return bounded / (1 - bounded);
}

function isSeenBy(others: readonly Candidate[], face: Candidate): boolean {
  return others.some((other) => isSameFace(other, face));
}

/** The second look's face, with the mean of its box and another look's: their errors are partly independent. */
function withMeanBox(face: Candidate, others: readonly Candidate[]): Candidate {
  let best: Candidate | undefined;
  let bestOverlap = 0;
  for (const other of others) {
    const overlap = intersectionOverUnion(other.box, face.box);
    if (overlap > bestOverlap) [best, bestOverlap] = [other, overlap];
  }
  if (best === undefined || bestOverlap < sameFaceOverlap) return face;
  const weight = otherBoxWeight * best.score;
  const share = weight / (weight + face.score);
  const { box } = best;
  const mean = (side: keyof Box): number => face.box[side] + share * (box[side] - face.box[side]);
  return { ...face, box: { xmin: mean('xmin'), ymin: mean('ymin'), xmax: mean('xmax'), ymax: mean('ymax') } };
}
