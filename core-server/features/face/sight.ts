import { roundScore } from '../../common/precision.js';
import type { Stopwatch } from '../../common/stopwatch.js';
import { mirrorPicture, turnPicture } from '../../image/decode/decode.js';
import type { Box, Point, QuarterTurns, RgbPicture } from '../../image/picture.js';
import { copyRegion, padToMultiple } from '../../image/resize/copy-region.js';
import type { RunModel, TensorData } from '../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../inference/models/tensors.js';
import {
  byScore,
  type Candidate,
  isCentredIn,
  mirrorBack,
  mostFaces,
  suppress,
  toPicture,
  turnBack,
} from './geometry.js';
import { tilesOf } from './tiles.js';
import { tintGrey } from './tint-grey.js';

/** Largest stride of the networks; both sides must be multiples of it. */
const inputMultiple = 32;

/** How pixels are shown to the network: as they are, or turned clockwise, and then mirrored. */
export interface Showing {
  readonly turns?: QuarterTurns;
  readonly isMirrored?: boolean;
}

/** What the network sees, from a score on: the faces in pixels, where they are in these, each once. */
export function createSight(run: RunModel, minScore: number, step: Stopwatch['time']) {
  return async (pixels: RgbPicture, { turns = 0, isMirrored = false }: Showing = {}): Promise<Candidate[]> => {
    const turned = turns ? await step('decode', () => turnPicture(pixels, turns)) : pixels;
    const shown = isMirrored ? await step('decode', () => mirrorPicture(turned)) : turned;
    const tinted = tintGrey(shown);
    const seen: Candidate[] = [];
    for (const { core, region } of tilesOf(tinted)) {
      const outputs = await step('infer', () => inferFaces(run, copyRegion(tinted, region), minScore));
      for (const candidate of toPicture(readCandidates(outputs), region, region)) {
        if (isCentredIn(candidate, core)) seen.push(candidate);
      }
    }
    const faces = await step('suppress', () => suppress(seen));
    return faces.map((face) => turnBack(isMirrored ? mirrorBack(face, shown) : face, turns, pixels));
  };
}

/** Runs the network on a picture. The outputs are those of the contract, in pixels of the picture. */
export function inferFaces(run: RunModel, picture: RgbPicture, minScore: number): ReturnType<RunModel> {
  return run({
    image: pictureTensor(padToMultiple(picture, inputMultiple)),
    min_score: { type: 'float32', data: Float32Array.of(minScore), dims: [1] },
  });
}

// What is hot stands in functions of modules: the code that V8 compiles for a closure is gone, as the closure is, with the
// next full collection, and it compiled that of each picture's closures again and again.

/** The outputs of the contract (boxes [N,4], scores [N], landmarks [N,5,2]) as objects: the best `mostFaces`, best first. */
export function readCandidates(outputs: Readonly<Record<string, TensorData>>): Candidate[] {
  const boxes = floatsOf(outputs, 'boxes').data;
  const scores = floatsOf(outputs, 'scores').data;
  const points = floatsOf(outputs, 'landmarks').data;
  const candidates: Candidate[] = [];
  for (const [i, score] of scores.entries()) {
    candidates.push({ box: boxAt(boxes, i * 4), score: roundScore(score), landmarks: landmarksAt(points, i * 10) });
  }
  return candidates.sort(byScore).slice(0, mostFaces);
}

function boxAt(values: Float32Array, at: number): Box {
  const [xmin = 0, ymin = 0, xmax = 0, ymax = 0] = values.subarray(at, at + 4);
  return { xmin, ymin, xmax, ymax };
}

function landmarksAt(values: Float32Array, start: number): Point[] {
  const points: Point[] = [];
  for (let at = start; at < start + 10; at += 2) points.push({ x: values[at] ?? 0, y: values[at + 1] ?? 0 });
  return points;
}
