import { roundPixels } from '../../common/precision.js';
import { middleOf } from '../../image/align.js';
import type { Box, Point, QuarterTurns, Region, Size } from '../../image/picture.js';

/** A face that the network sees somewhere, before or after suppression. */
export interface Candidate {
  readonly box: Box;
  /** 0..1. */
  readonly score: number;
  /** Right eye, left eye, nose tip, right and left corner of the mouth; left and right are the person's own. */
  readonly landmarks: readonly Point[];
}

export function area(box: Box): number {
  return Math.max(0, box.xmax - box.xmin) * Math.max(0, box.ymax - box.ymin);
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.xmax, b.xmax) - Math.max(a.xmin, b.xmin);
  const height = Math.min(a.ymax, b.ymax) - Math.max(a.ymin, b.ymin);
  return Math.max(0, width) * Math.max(0, height);
}

/** Intersection over union of two boxes, 0..1; 0 for two empty ones. */
export function intersectionOverUnion(a: Box, b: Box): number {
  const shared = sharedArea(a, b);
  return shared === 0 ? 0 : shared / (area(a) + area(b) - shared);
}

export function isCentredIn({ box }: Pick<Candidate, 'box'>, { left, top, width, height }: Region): boolean {
  const x = (box.xmin + box.xmax) / 2;
  const y = (box.ymin + box.ymax) / 2;
  return x >= left && x < left + width && y >= top && y < top + height;
}

/** Candidates that overlap a better one by this much are the same face. */
export const sameFaceOverlap = 0.45;

export function isSameFace(a: Candidate, b: Candidate): boolean {
  return intersectionOverUnion(a.box, b.box) >= sameFaceOverlap;
}

/** More than the faces in nearly any picture; limits the time of what compares each with each. */
export const mostFaces = 3000;

/** Greedy non-maximum suppression: the best of each face, best first, `mostFaces` at most. */
export function suppress(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of [...candidates].sort(byScore)) {
    if (kept.length === mostFaces) break;
    if (!kept.some((face) => isSameFace(face, candidate))) kept.push(candidate);
  }
  return kept;
}

/** Order of candidates: best first. */
export function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score;
}

/** Two boxes show one face with so much of the smaller within the other, */
const partShare = 0.7;
/** and their eyes no further apart, in sides of the smaller: a face in front of another has eyes of its own. */
const partEyesShift = 1.3;

/** Without what a better face, one of at least that score, is around or within: what a mask leaves of a face looks like one too. */
export function withoutParts(faces: readonly Candidate[], sureScore: number): Candidate[] {
  const sure = faces.filter(({ score }) => score >= sureScore);
  return faces.filter((face) => !sure.some((better) => isPartOf(face, better)));
}

function isPartOf(face: Candidate, better: Candidate): boolean {
  if (face.score >= better.score) return false;
  const smaller = Math.min(area(face.box), area(better.box));
  if (sharedArea(face.box, better.box) < partShare * smaller) return false;
  const [eyes, betterEyes] = [eyesOf(face), eyesOf(better)];
  return Math.hypot(eyes.x - betterEyes.x, eyes.y - betterEyes.y) <= partEyesShift * Math.sqrt(smaller);
}

/** The middle of the eyes. */
function eyesOf({ landmarks }: Candidate): Point {
  return middleOf(landmarks.slice(0, 2));
}

/** A candidate whose points, and the corners of its box, are moved. */
function moved({ box, score, landmarks }: Candidate, move: (point: Point) => Point): Candidate {
  const [a, b] = [move({ x: box.xmin, y: box.ymin }), move({ x: box.xmax, y: box.ymax })];
  return {
    box: { xmin: Math.min(a.x, b.x), ymin: Math.min(a.y, b.y), xmax: Math.max(a.x, b.x), ymax: Math.max(a.y, b.y) },
    score,
    landmarks: landmarks.map(move),
  };
}

/** Candidates from a look at `region`, scaled to the size `look`, converted to the picture's own pixels. */
export function toPicture(
  candidates: readonly Candidate[],
  look: Size,
  { left, top, width, height }: Region,
): Candidate[] {
  const move = ({ x, y }: Point): Point => ({
    x: left + (x * width) / look.width,
    y: top + (y * height) / look.height,
  });
  const converted: Candidate[] = [];
  for (const candidate of candidates) converted.push(moved(candidate, move));
  return converted;
}

/** A candidate from a turned picture, converted to the pixels of the unturned picture of that size. */
export function turnBack(candidate: Candidate, turns: QuarterTurns, { width, height }: Size): Candidate {
  if (turns === 0) return candidate;
  return moved(candidate, ({ x, y }) => {
    if (turns === 1) return { x: y, y: height - x };
    if (turns === 2) return { x: width - x, y: height - y };
    return { x: width - y, y: x };
  });
}

/** How often a picture is turned clockwise by a quarter until the face in it is upright, by its eyes. */
export function turnsOf({ landmarks: [rightEye, leftEye] }: Candidate): QuarterTurns {
  if (rightEye === undefined || leftEye === undefined) return 0;
  const lean = Math.atan2(leftEye.y - rightEye.y, leftEye.x - rightEye.x);
  return ((4 - Math.round(lean / (Math.PI / 2))) % 4) as QuarterTurns;
}

/** A candidate from the mirror image of a picture of this width, where the left eye is in the right one's place. */
export function mirrorBack(candidate: Candidate, { width }: Pick<Size, 'width'>): Candidate {
  const mirrored = moved(candidate, ({ x, y }) => ({ x: width - x, y }));
  const [rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner] = mirrored.landmarks;
  const swapped = [leftEye, rightEye, noseTip, leftMouthCorner, rightMouthCorner];
  return { ...mirrored, landmarks: swapped.filter((point) => point !== undefined) };
}

/** All pixels of the picture that the box touches. */
export function enclosing({ xmin, ymin, xmax, ymax }: Box, { width, height }: Size): Region {
  const left = Math.max(0, Math.floor(xmin));
  const top = Math.max(0, Math.floor(ymin));
  return { left, top, width: Math.min(width, Math.ceil(xmax)) - left, height: Math.min(height, Math.ceil(ymax)) - top };
}

/** Whether the box touches an edge of the region that is not an edge of the picture. */
export function isCut({ box }: Candidate, region: Region, size: Size): boolean {
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

/** The part of the box inside the picture, in hundredths of a pixel; undefined when less than a pixel is left. */
export function clampBox(box: Box, size: Size): Box | undefined {
  const inside = {
    xmin: roundPixels(Math.max(0, box.xmin)),
    ymin: roundPixels(Math.max(0, box.ymin)),
    xmax: roundPixels(Math.min(size.width, box.xmax)),
    ymax: roundPixels(Math.min(size.height, box.ymax)),
  };
  const isVisible = inside.xmax - inside.xmin >= 1 && inside.ymax - inside.ymin >= 1;
  return isVisible ? inside : undefined;
}

/** Order of a response: largest first; of equally large ones, the higher score first. */
export function byAreaThenScore(a: Candidate, b: Candidate): number {
  // Of boxes in hundredths of a pixel. As doubles, two of the same sides may differ a little.
  const tenThousandths = ({ box }: Candidate): number => Math.round(area(box) * 1e4);
  return tenThousandths(b) - tenThousandths(a) || b.score - a.score;
}
