import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { median, sum } from '../../../bench/measure/statistics.js';
import { poseOf } from '../../../core-server/features/face/attributes.js';
import { intersectionOverUnion, turnBack } from '../../../core-server/features/face/geometry.js';
import type { Point, QuarterTurns } from '../../../core-server/image/picture.js';
import {
  averagePrecision,
  type Measured,
  picturesWithFaces,
  precisionAndRecall,
  recallAt,
  sideOf,
  type TrueFace,
} from './detection-metrics.js';
import type { FacePicture } from './face-data.js';
import type { FoundFaceWithPoints, MeasuredDetector } from './measured-detector.js';

/** What AP looks at; lower scores are not asked for. */
const candidateScore = 0.02;
const sides = [4, 8, 16, 32, 64, 128, Infinity];
/** Faces by the square root of their area, pixels: from, below, and the row of the table. */
export const sideClasses = sides.slice(0, -1).map((from, i) => {
  const to = sides[i + 1] ?? Infinity;
  const label = to === Infinity ? `from ${from} px` : `${from} to ${to} px`;
  return { from, to, label, row: `AP@0.5 side ${label}` };
});
/** Smaller faces say little about landmarks, pixels of the longer side. */
const landmarkFace = 96;

/** A picture with what a detector found in it. */
export interface FaceRun {
  readonly set: string;
  readonly tags: readonly string[];
  readonly faces: readonly TrueFace[];
  readonly found: readonly FoundFaceWithPoints[];
  readonly inferenceMs: number;
}

/** Percent, or milliseconds where the name says so; in the order of the table. */
export type FaceFigures = Record<string, number>;

/** Has the detector look at every picture. */
export async function runOver(detector: MeasuredDetector, pictures: readonly FacePicture[]): Promise<FaceRun[]> {
  const runs: FaceRun[] = [];
  for (const { path, set, tags, faces } of pictures) {
    const { faces: found, inferenceMs } = await detector.detect(await readFile(path), candidateScore);
    runs.push({ set, tags, faces, found, inferenceMs });
  }
  return runs;
}

/** Recall of the portraits by their angle, degrees clockwise, at the default score. */
export async function turnedFigures(
  detector: MeasuredDetector,
  pictures: readonly FacePicture[],
): Promise<FaceFigures> {
  const portraits = pictures.filter(({ set }) => set === 'wider_portrait' || set === 'portrait70');
  const figures: FaceFigures = {};
  for (const turns of [1, 2, 3] as const) {
    const runs: Measured[] = [];
    for (const { path, faces } of portraits) {
      const turned = sharp(await readFile(path)).rotate(turns * 90);
      const { data, info } = await turned.jpeg({ quality: 95 }).toBuffer({ resolveWithObject: true });
      const { faces: found } = await detector.detect(data, candidateScore);
      // What is back after the other quarters of a whole turn.
      const boxOf = ({ box }: TrueFace) =>
        turnBack({ box, score: 1, landmarks: [] }, (4 - turns) as QuarterTurns, info).box;
      runs.push({ faces: faces.map((face) => ({ ...face, box: boxOf(face) })), found });
    }
    figures[turnedRow(turns)] = 100 * recallAt(runs, detector.defaultScore);
  }
  return figures;
}

export const turnedRow = (turns: QuarterTurns): string => `recall, portraits turned by ${turns * 90}`;

/** Everything that needs no second detector. */
export function figuresOf(runs: readonly FaceRun[], defaultScore: number): FaceFigures {
  const inSets = (...sets: string[]): Measured[] => runs.filter((run) => sets.includes(run.set));
  const wider = inSets('wider427', 'wider_portrait');
  const faceless = inSets('noface');
  const figures: FaceFigures = {};
  for (const subset of ['easy', 'medium', 'hard']) {
    figures[`AP@0.5 ${subset}`] = 100 * averagePrecision(wider, (face) => face.subsets.includes(subset));
  }
  for (const { from, to, row } of sideClasses) {
    const isOfSize = (face: TrueFace): boolean => sideOf(face) >= from && sideOf(face) < to;
    figures[row] = 100 * averagePrecision(wider, isOfSize);
  }
  for (const tag of ['blur', 'crowd', 'illumination', 'occlusion', 'profile']) {
    const tagged = runs.filter((run) => run.tags.includes(tag));
    figures[`AP@0.5 hard, ${tag}`] = 100 * averagePrecision(tagged, (face) => face.subsets.includes('hard'));
  }
  const { precision, recall } = precisionAndRecall(wider, defaultScore);
  const recallOf = (set: string): number => 100 * recallAt(inSets(set), defaultScore);
  return {
    ...figures,
    precision: 100 * precision,
    recall: 100 * recall,
    'recall, portraits of WIDER': recallOf('wider_portrait'),
    'recall, other portraits': recallOf('portrait70'),
    'pictures with a false face': (100 * picturesWithFaces(faceless, defaultScore)) / faceless.length,
    'ms a picture': sum(runs.map(({ inferenceMs }) => inferenceMs)) / runs.length,
  };
}

/** Degrees clockwise by which pictures are turned for `rollErrors`. */
export const leans = [10, 20, 30] as const;
export const leanRow = (lean: number): string => `roll of a lean by ${lean}, error`;

/**
 * Looks for landmarks at the default score in the pictures with a large face, turned by so many degrees, with the true
 * faces where they are then.
 */
export async function runWithPoints(
  detector: MeasuredDetector,
  pictures: readonly FacePicture[],
  lean = 0,
): Promise<FaceRun[]> {
  const runs: FaceRun[] = [];
  for (const { path, set, tags, faces } of pictures.filter((picture) => picture.faces.some(isLarge))) {
    const { width, height } = await sharp(await readFile(path)).metadata();
    const turned = sharp(await readFile(path)).rotate(lean, { background: '#808080' });
    const { data, info } = await turned.jpeg({ quality: 95 }).toBuffer({ resolveWithObject: true });
    const { faces: found, inferenceMs } = await detector.detect(data, detector.defaultScore, true);
    const [cos, sin] = [Math.cos((lean * Math.PI) / 180), Math.sin((lean * Math.PI) / 180)];
    const move = (face: TrueFace): TrueFace => {
      const { xmin, ymin, xmax, ymax } = face.box;
      const [x, y] = [(xmin + xmax - width) / 2, (ymin + ymax - height) / 2];
      const shift = {
        x: info.width / 2 + cos * x - sin * y - (xmin + xmax) / 2,
        y: info.height / 2 + sin * x + cos * y - (ymin + ymax) / 2,
      };
      const box = { xmin: xmin + shift.x, ymin: ymin + shift.y, xmax: xmax + shift.x, ymax: ymax + shift.y };
      return { ...face, box };
    };
    runs.push({ set, tags, faces: faces.filter(isLarge).map(move), found, inferenceMs });
  }
  return runs;
}

/** Median error of `roll` of large faces in a turned picture, degrees, by what it is in the upright one. */
export async function rollErrors(
  detector: MeasuredDetector,
  pictures: readonly FacePicture[],
  upright: readonly FaceRun[],
): Promise<FaceFigures> {
  const figures: FaceFigures = {};
  for (const lean of leans) {
    const leaning = await runWithPoints(detector, pictures, lean);
    const errors: number[] = [];
    for (const [before, after] of pairsOf(upright, leaning)) {
      const error = poseOf(after).roll - poseOf(before).roll + lean;
      errors.push(Math.abs(error - 360 * Math.round(error / 360)));
    }
    figures[leanRow(lean)] = median(errors);
  }
  return figures;
}

/** Mean distance of the landmarks from those of the other detector over the face's size, percent, on large faces. */
export function landmarkError(mine: readonly FaceRun[], theirs: readonly FaceRun[]): number {
  const errors: number[] = [];
  for (const [a, b, face] of pairsOf(mine, theirs)) {
    const distances = a.map(({ x, y }, k) => Math.hypot(x - (b[k]?.x ?? 0), y - (b[k]?.y ?? 0)));
    errors.push(sum(distances) / distances.length / sideOf(face));
  }
  return (100 * sum(errors)) / errors.length;
}

/** The landmarks of the faces that both of two runs over the same pictures found. */
function* pairsOf(
  mine: readonly FaceRun[],
  theirs: readonly FaceRun[],
): Generator<[readonly Point[], readonly Point[], TrueFace]> {
  for (const [i, run] of mine.entries()) {
    for (const [k, face] of run.faces.entries()) {
      const a = bestOn(face, run)?.landmarks;
      const b = bestOn(theirs[i]?.faces[k] ?? face, theirs[i])?.landmarks;
      if (a && b) yield [a, b, face];
    }
  }
}

function isLarge({ box: { xmin, ymin, xmax, ymax }, ignore }: TrueFace): boolean {
  return !ignore && Math.max(xmax - xmin, ymax - ymin) >= landmarkFace;
}

/** The found face that overlaps the true one most, and by half at least. */
function bestOn(face: TrueFace, run: FaceRun | undefined): FoundFaceWithPoints | undefined {
  const overlap = (found: FoundFaceWithPoints): number => intersectionOverUnion(found.box, face.box);
  const [best] = (run?.found ?? []).filter((found) => overlap(found) >= 0.5).sort((a, b) => overlap(b) - overlap(a));
  return best;
}
