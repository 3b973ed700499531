import type { Region, Size } from '../image/picture.js';
import { area, intersectionOverUnion, suppress, type Candidate } from './geometry.js';

/**
 * Which looks pay, where they go and how they are merged; `models/face/cascade.py` is the same rule
 * for training.
 *
 * The first look sees the whole picture at a bounded size. Where it finds large faces, or nothing
 * sure, a glance at a small copy looks for large faces alone: a tenth of the cost, and the size at
 * which the network knows them best. Where the first look finds small faces, or hints of them, the
 * second goes to the rectangle around them, enlarged as far as a budget of pixels allows. The side
 * of a box is the square root of its area.
 */
export interface CascadeRule {
  /** Longer side of the picture in the first look, pixels; never enlarged. */
  readonly firstSide: number;
  /** A candidate of the first look with this score may be a face. */
  readonly weakScore: number;
  /** A first look with no candidate of this score asks for a glance. */
  readonly sureScore: number;
  /** Faces from this side on are served by a glance, pixels of the first look. */
  readonly largeSide: number;
  /** Scale of the glance over that of the first look. */
  readonly glanceScale: number;
  /** Faces below this side are served by a second look, pixels of the first. */
  readonly smallSide: number;
  /** Room around the small faces, pixels of the first look. */
  readonly margin: number;
  /** Pixels of the second look at most. */
  readonly secondPixels: number;
  /** Scale of the second look at most, of the picture's own pixels. */
  readonly maxZoom: number;
  /** Scale of the second look over that of the first; less does not pay. */
  readonly minGain: number;
  /** From this side on the first look is trusted inside the region too, pixels of the first. */
  readonly keepSide: number;
}

/** Where a second look goes. */
export interface SecondLook {
  /** In the picture's own pixels. */
  readonly region: Region;
  /** Scale of the look, of the picture's own pixels. */
  readonly zoom: number;
}

/** Scale of the first look at a picture. */
export function firstScale(size: Size, rule: Pick<CascadeRule, 'firstSide'>): number {
  return Math.min(1, rule.firstSide / Math.max(size.width, size.height));
}

/** Whether a glance for large faces pays, judged by the first look (in the picture's pixels). */
export function glancePays(
  first: readonly Pick<Candidate, 'box' | 'score'>[],
  size: Size,
  rule: CascadeRule,
): boolean {
  const isLarge = isOfSide(rule.largeSide, size, rule);
  const hasLarge = first.some((face) => face.score >= rule.weakScore && isLarge(face));
  return hasLarge || !first.some(({ score }) => score >= rule.sureScore);
}

/** The faces of the first look and the large ones of the glance, all in the picture's pixels. */
export function addGlance(
  first: readonly Candidate[],
  glance: readonly Candidate[],
  size: Size,
  rule: CascadeRule,
  sameFaceOverlap: number,
): Candidate[] {
  const large = glance.filter(isOfSide(rule.largeSide, size, rule));
  return suppress([...first, ...large], sameFaceOverlap);
}

/** The second look that pays, judged by the first (in the picture's pixels); undefined when none does. */
export function planSecondLook(
  first: readonly Pick<Candidate, 'box' | 'score'>[],
  size: Size,
  rule: CascadeRule,
): SecondLook | undefined {
  const scale = firstScale(size, rule);
  const small = first
    .filter(({ box, score }) => score >= rule.weakScore && sideOf(box) * scale < rule.smallSide)
    .map(({ box }) => box);
  if (small.length === 0) return undefined;
  const margin = rule.margin / scale;
  const left = Math.max(0, Math.floor(Math.min(...small.map((b) => b.xmin)) - margin));
  const top = Math.max(0, Math.floor(Math.min(...small.map((b) => b.ymin)) - margin));
  const right = Math.min(size.width, Math.ceil(Math.max(...small.map((b) => b.xmax)) + margin));
  const bottom = Math.min(size.height, Math.ceil(Math.max(...small.map((b) => b.ymax)) + margin));
  const region = { left, top, width: right - left, height: bottom - top };
  const zoom = Math.min(
    rule.maxZoom,
    Math.sqrt(rule.secondPixels / (region.width * region.height)),
  );
  return zoom >= rule.minGain * scale ? { region, zoom } : undefined;
}

/**
 * The faces of both looks, all in the picture's pixels: small ones inside the region come from the
 * second; the first has those outside and large ones, and what it has stays.
 */
export function mergeLooks(
  first: readonly Candidate[],
  second: readonly Candidate[],
  region: Region,
  size: Size,
  rule: CascadeRule,
  sameFaceOverlap: number,
): Candidate[] {
  const isLarge = isOfSide(rule.keepSide, size, rule);
  const fromFirst = first.filter((face) => !isCentredIn(face, region) || isLarge(face));
  // A large face that the region cuts was seen whole by the first look.
  const isNew = ({ box }: Candidate): boolean =>
    fromFirst.every((face) => intersectionOverUnion(face.box, box) < sameFaceOverlap);
  const fromSecond = second.filter(
    (face) => isNew(face) && !(isLarge(face) && isCut(face, region, size)),
  );
  return suppress([...fromFirst, ...fromSecond], sameFaceOverlap);
}

/** A test for faces of at least this side, pixels of the first look. */
function isOfSide(
  side: number,
  size: Size,
  rule: CascadeRule,
): (face: Pick<Candidate, 'box'>) => boolean {
  const scale = firstScale(size, rule);
  return ({ box }) => sideOf(box) * scale >= side;
}

function sideOf(box: Candidate['box']): number {
  return Math.sqrt(area(box));
}

function isCentredIn({ box }: Candidate, { left, top, width, height }: Region): boolean {
  const x = (box.xmin + box.xmax) / 2;
  const y = (box.ymin + box.ymax) / 2;
  return x >= left && x < left + width && y >= top && y < top + height;
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
