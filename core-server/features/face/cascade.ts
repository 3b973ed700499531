import { roundScore } from '../../common/precision.js';
import type { Box, QuarterTurns, Region, Size } from '../../image/picture.js';
import type { CascadeRule } from './face-model.js';
import { area, type Candidate, intersectionOverUnion, isCentredIn, suppress } from './geometry.js';

// Which looks pay off, where they go and how they are merged; `models/face/cascade.py` is the same rule for training.
//
// A glance at a small copy of the whole picture looks for large faces, at a fifth of the cost of the first look and at
// the size at which the network knows them best. If it is confident about one and sees no smaller one, it serves as the
// first look. Otherwise the first look covers the whole picture at a limited size. If neither has a face whose score shows
// that the picture is upright, glances at the picture turned by quarters find faces that are on their side or upside down;
// if one is surer of a face than the upright looks, a look of the first one's size follows at that quarter.
// If the first look finds small faces, or hints of them, the second covers the rectangle around them, enlarged as far as a
// budget of pixels allows, and another covers its mirror image at a smaller size.

/** Candidates that overlap a better one by this much are the same face. */
export const sameFaceOverlap = 0.45;

/** Weight of another look's box beside the second's, at equal scores: it saw the face smaller. */
const otherBoxWeight = 0.3;

/** Weight of a score in the mirror image of the second look. */
const mirrorWeight = 0.4;

/** The share of its score that is left to a face that the mirror image does not show. */
const unmirroredShare = 0.8;

interface SecondLook {
  /** In the picture's own pixels. */
  readonly region: Region;
  /** Scale of the look, of the picture's own pixels. */
  readonly zoom: number;
}

export function overviewScale(size: Size, rule: Pick<CascadeRule, 'overviewSide'>): number {
  return Math.min(1, rule.overviewSide / Math.max(size.width, size.height));
}

/**
 * Whether the glance (in the picture's pixels) serves as the first look. A hint of a smaller face wants a closer look:
 * the glance sees such faces badly.
 */
export function suffices(glance: readonly Pick<Candidate, 'box' | 'score'>[], size: Size, rule: CascadeRule): boolean {
  const isLarge = isOfSide(rule.largeSide, size, rule);
  const hints = glance.filter(isHint(rule));
  return hints.some(({ score }) => score >= rule.sureScore) && hints.every(isLarge);
}

/** The faces of the first look and the large ones of the glance, all in the picture's pixels. */
export function addGlance(
  first: readonly Candidate[],
  glance: readonly Candidate[],
  size: Size,
  rule: CascadeRule,
): Candidate[] {
  const large = glance.filter(isOfSide(rule.largeSide, size, rule));
  return suppress([...first, ...large], sameFaceOverlap);
}

/**
 * Whether the picture may be on its side, and glances at turned copies pay off. A face on its side often has a
 * middling score, and a box that fits it badly: only a high score says enough.
 */
export function mayBeTurned(found: readonly Pick<Candidate, 'score'>[], rule: CascadeRule): boolean {
  return !found.some(({ score }) => score >= rule.uprightScore);
}

/** Adds the faces to which a look at the turned picture gives this score (in the picture's pixels). */
export function addTurned(
  found: readonly Candidate[],
  turned: readonly Candidate[],
  leastScore: number,
  size: Size,
  rule: CascadeRule,
): Candidate[] {
  const isLargeEnough = isOfSide(rule.turnedSide, size, rule);
  const sure = turned.filter((face) => face.score >= leastScore && isLargeEnough(face));
  return suppress([...found, ...sure], sameFaceOverlap);
}

/**
 * Which of the glances at the turned picture (in the picture's pixels) shows how it lies: the one that is surer of a
 * face than all upright ones. A closer look pays there.
 */
export function quarterOf(
  upright: readonly Pick<Candidate, 'score'>[],
  glances: ReadonlyMap<QuarterTurns, readonly Pick<Candidate, 'box' | 'score'>[]>,
  size: Size,
  rule: CascadeRule,
): QuarterTurns | undefined {
  const isLargeEnough = isOfSide(rule.turnedSide, size, rule);
  let best = Math.max(0, ...upright.map(({ score }) => score));
  let quarter: QuarterTurns | undefined;
  for (const [turns, glance] of glances) {
    for (const face of glance) {
      if (face.score < rule.sureScore || face.score <= best || !isLargeEnough(face)) continue;
      [best, quarter] = [face.score, turns];
    }
  }
  return quarter;
}

/**
 * The second look that pays after a first one at `firstScale` which found this (in the picture's
 * pixels); undefined when none does.
 */
export function planSecondLook(
  found: readonly Pick<Candidate, 'box' | 'score'>[],
  size: Size,
  rule: CascadeRule,
  firstScale: number,
): SecondLook | undefined {
  const isNotSmall = isOfSide(rule.smallSide, size, rule);
  const small = found
    .filter(isHint(rule))
    .filter((face) => !isNotSmall(face))
    .map(({ box }) => box);
  if (small.length === 0) return undefined;
  const margin = rule.margin / overviewScale(size, rule);
  const left = Math.max(0, Math.floor(Math.min(...small.map((b) => b.xmin)) - margin));
  const top = Math.max(0, Math.floor(Math.min(...small.map((b) => b.ymin)) - margin));
  const right = Math.min(size.width, Math.ceil(Math.max(...small.map((b) => b.xmax)) + margin));
  const bottom = Math.min(size.height, Math.ceil(Math.max(...small.map((b) => b.ymax)) + margin));
  const region = { left, top, width: right - left, height: bottom - top };
  const zoom = Math.min(rule.maxZoom, Math.sqrt(rule.secondPixels / (region.width * region.height)));
  return zoom >= rule.minGain * firstScale ? { region, zoom } : undefined;
}

/**
 * The second look with what its mirror image says (mirrored back, in the same pixels): mean scores and boxes, and its
 * own faces at a low score. Only hints count, so that no score depends on the least one asked for.
 */
export function withMirror(second: readonly Candidate[], mirror: readonly Candidate[], rule: CascadeRule): Candidate[] {
  const mayBeFace = isHint(rule);
  const mirrorHints = mirror.filter(mayBeFace);
  const scoreOf = (face: Candidate): number => {
    const seen = mayBeFace(face) ? mirrorHints.filter((other) => isSameFace(face, other)) : [];
    if (seen.length === 0) return unmirroredShare * face.score;
    return (1 - mirrorWeight) * face.score + mirrorWeight * Math.max(...seen.map(({ score }) => score));
  };
  const means = second.map((face) => ({ ...withMeanBox(face, mirrorHints), score: roundScore(scoreOf(face)) }));
  const secondHints = second.filter(mayBeFace);
  const alone = mirrorHints
    .filter((face) => !isSeenBy(secondHints, face))
    .map((face) => ({ ...face, score: roundScore(mirrorWeight * face.score) }));
  return suppress([...means, ...alone], sameFaceOverlap);
}

/**
 * The faces of both looks, all in the picture's pixels and each look suppressed: small ones inside the region
 * come from the second, with the mean box where both saw them; the first has those outside and large ones, and what
 * it keeps stays.
 */
export function mergeLooks(
  first: readonly Candidate[],
  second: readonly Candidate[],
  region: Region,
  size: Size,
  rule: CascadeRule,
): Candidate[] {
  const isLarge = isOfSide(rule.keepSide, size, rule);
  const isNotTiny = isOfSide(rule.loneSide, size, rule);
  // Enlarged, a blurred face is no longer recognisable: that the second look does not see it says little.
  const hints = second.filter(isHint(rule));
  const isLone = (face: Candidate): boolean =>
    face.score >= rule.sureScore && isNotTiny(face) && !isSeenBy(hints, face);
  const fromFirst = first.filter((face) => !isCentredIn(face, region) || isLarge(face) || isLone(face));
  // The first look saw a large face whole if the region cuts it.
  const fromSecond = second.filter(
    (face) => !isSeenBy(fromFirst, face) && !(isLarge(face) && isCut(face, region, size)),
  );
  const firstHints = first.filter(isHint(rule));
  return [...fromFirst, ...fromSecond.map((face) => withMeanBox(face, firstHints))];
}

function isSameFace(a: Candidate, b: Candidate): boolean {
  return intersectionOverUnion(a.box, b.box) >= sameFaceOverlap;
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

/** A test for what may be a face. */
function isHint({ weakScore }: CascadeRule): (face: Pick<Candidate, 'score'>) => boolean {
  return ({ score }) => score >= weakScore;
}

/** A test for faces of at least this side. */
function isOfSide(side: number, size: Size, rule: CascadeRule): (face: Pick<Candidate, 'box'>) => boolean {
  const scale = overviewScale(size, rule);
  return ({ box }) => Math.sqrt(area(box)) * scale >= side;
}

/** Whether the box touches an edge of the region that is not an edge of the picture. */
function isCut({ box }: Candidate, region: Region, size: Size): boolean {
  const { left, top } = region;
  const right = left + region.width;
  const bottom = top + region.height;
  return (
    (left > 0 && box.xmin <= left + 1) ||
    (top > 0 && box.ymin <= top + 1) ||
    (right < size.width && box.xmax >= right - 1) ||
    (bottom < size.height && box.ymax >= bottom - 1)
  );
}
