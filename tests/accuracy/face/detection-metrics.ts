import { area, intersectionOverUnion } from '../../../core-server/features/face/geometry.js';
import type { Box } from '../../../core-server/image/picture.js';

/** A face of the ground truth. */
export interface TrueFace {
  readonly box: Box;
  /** Neither hit nor miss. */
  readonly ignore: boolean;
  /** WIDER's subsets that it belongs to. */
  readonly subsets: readonly string[];
}

/** A detected face. */
export interface FoundFace {
  readonly box: Box;
  readonly score: number;
}

/** One picture with what is in it and what was found. */
export interface Measured {
  readonly faces: readonly TrueFace[];
  readonly found: readonly FoundFace[];
}

interface Verdict {
  readonly score: number;
  readonly isHit: boolean;
}

const matchOverlap = 0.5;

/**
 * WIDER's protocol in one picture. Best first, each found face takes the free wanted face that it
 * overlaps most; one on a face that is not wanted in this subset is neither hit nor miss.
 */
export function judge(picture: Measured, isWanted: (face: TrueFace) => boolean): Verdict[] {
  const { faces } = picture;
  const wanted = faces.map((face) => !face.ignore && isWanted(face));
  const taken = new Set<number>();
  const verdicts: Verdict[] = [];
  for (const { box, score } of [...picture.found].sort((a, b) => b.score - a.score)) {
    const overlaps = faces.map((face) => intersectionOverUnion(box, face.box));
    const nearest = indexOfLargest(overlaps);
    const free = indexOfLargest(overlaps.map((o, i) => (wanted[i] && taken.has(i) ? -1 : o)));
    if ((overlaps[free] ?? 0) >= matchOverlap && wanted[free] && !taken.has(free)) {
      taken.add(free);
      verdicts.push({ score, isHit: true });
    } else if ((overlaps[nearest] ?? 0) < matchOverlap || wanted[nearest]) {
      verdicts.push({ score, isHit: false });
    }
  }
  return verdicts;
}

/** Precision and recall, 0..1, of all found faces down to each one, the best first. */
export function precisionRecallCurve(
  pictures: readonly Measured[],
  isWanted: (face: TrueFace) => boolean,
): { readonly precision: number; readonly recall: number; readonly isHit: boolean }[] {
  const verdicts = pictures.flatMap((p) => judge(p, isWanted)).sort((a, b) => b.score - a.score);
  const positives = countFaces(pictures, isWanted);
  let hits = 0;
  return verdicts.map(({ isHit }, i) => {
    hits += Number(isHit);
    return { precision: hits / (i + 1), recall: hits / positives, isHit };
  });
}

/** Average precision at an overlap of 0.5: area under the interpolated precision-recall curve, 0..1. */
export function averagePrecision(pictures: readonly Measured[], isWanted: (face: TrueFace) => boolean): number {
  let ceiling = 0;
  let sum = 0;
  for (const { precision, isHit } of precisionRecallCurve(pictures, isWanted).reverse()) {
    ceiling = Math.max(ceiling, precision);
    if (isHit) sum += ceiling;
  }
  return sum / countFaces(pictures, isWanted);
}

/** How many faces count. */
function countFaces(pictures: readonly Measured[], isWanted: (face: TrueFace) => boolean): number {
  const wanted = (face: TrueFace): boolean => !face.ignore && isWanted(face);
  return pictures.reduce((sum, { faces }) => sum + faces.filter(wanted).length, 0);
}

/** Precision and recall over all faces at one score, 0..1. */
export function precisionAndRecall(
  pictures: readonly Measured[],
  minScore: number,
): { precision: number; recall: number } {
  const verdicts = atScore(pictures, minScore).flatMap((p) => judge(p, () => true));
  const hits = verdicts.filter(({ isHit }) => isHit).length;
  return { precision: hits / verdicts.length, recall: hits / countFaces(pictures, () => true) };
}

/** The share of faces that some found face of at least this score overlaps by half. */
export function recallAt(pictures: readonly Measured[], minScore: number): number {
  let hits = 0;
  for (const { faces, found } of atScore(pictures, minScore)) {
    for (const face of faces) {
      if (face.ignore) continue;
      if (found.some((f) => intersectionOverUnion(f.box, face.box) >= matchOverlap)) hits += 1;
    }
  }
  return hits / countFaces(pictures, () => true);
}

/** How many pictures have a found face of at least this score. */
export function picturesWithFaces(pictures: readonly Measured[], minScore: number): number {
  return atScore(pictures, minScore).filter(({ found }) => found.length > 0).length;
}

/** Side of a face as a square of its area, pixels. */
export function sideOf(face: { readonly box: Box }): number {
  return Math.sqrt(area(face.box));
}

function atScore(pictures: readonly Measured[], minScore: number): Measured[] {
  return pictures.map(({ faces, found }) => ({ faces, found: found.filter((face) => face.score >= minScore) }));
}

function indexOfLargest(values: readonly number[]): number {
  return values.reduce((best, value, i) => (value > (values[best] ?? -Infinity) ? i : best), 0);
}
