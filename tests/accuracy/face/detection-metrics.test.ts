import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  averagePrecision,
  type FoundFace,
  judge,
  type Measured,
  picturesWithFaces,
  precisionAndRecall,
  recallAt,
  type TrueFace,
} from './detection-metrics.js';

const at = (x: number, side = 10) => ({ xmin: x, ymin: 0, xmax: x + side, ymax: side });
const face = (x: number, ignore = false, ...subsets: string[]): TrueFace => ({ box: at(x), ignore, subsets });
const found = (x: number, score: number): FoundFace => ({ box: at(x), score });
const any = (): boolean => true;
const hits = (picture: Measured, isWanted = any as (face: TrueFace) => boolean): boolean[] =>
  judge(picture, isWanted).map(({ isHit }) => isHit);

test('each face counts once, for the best detection of it', () => {
  const picture = { faces: [face(0)], found: [found(1, 0.5), found(0, 0.9), found(50, 0.7)] };
  assert.deepEqual(judge(picture, any), [
    { score: 0.9, isHit: true },
    { score: 0.7, isHit: false },
    { score: 0.5, isHit: false },
  ]);
});

test('a detection on a face that does not count is neither hit nor miss', () => {
  const faces = [face(0, true), face(20, false, 'hard'), face(40, false, 'easy', 'hard')];
  const picture = { faces, found: [found(0, 0.9), found(20, 0.8), found(40, 0.7)] };
  assert.deepEqual(hits(picture), [true, true]);
  assert.deepEqual(
    hits(picture, (f) => f.subsets.includes('easy')),
    [true],
  );
});

test('average precision is the area under the interpolated curve', () => {
  // Hit, miss, hit of four faces: precisions 1, 1/2, 2/3 at recalls 1/4, 1/4, 2/4.
  const faces = [face(0), face(20), face(40), face(60)];
  const picture = { faces, found: [found(0, 0.9), found(90, 0.8), found(20, 0.7)] };
  assert.ok(Math.abs(averagePrecision([picture], any) - (1 + 2 / 3) / 4) < 1e-12);
  const { precision, recall } = precisionAndRecall([picture], 0.75);
  assert.deepEqual([precision, recall], [1 / 2, 1 / 4]);
  assert.equal(recallAt([picture], 0.7), 2 / 4);
});

test('pictures are judged one by one and ranked together', () => {
  // The second detection overlaps the first face more, which is taken.
  const two = { faces: [face(0), face(3)], found: [found(0, 0.9), found(1, 0.6)] };
  const faces = [face(0), face(60), face(20, true)];
  const one = { faces, found: [found(90, 0.8), found(0, 0.7), found(20, 0.95)] };
  // Hit, miss, hit, hit of four faces: precisions 1, 1/2, 2/3, 3/4.
  assert.ok(Math.abs(averagePrecision([two, one], any) - (1 + 3 / 4 + 3 / 4) / 4) < 1e-12);
  assert.equal(recallAt([two, one], 0.6), 3 / 4);
});

test('false faces are counted by picture', () => {
  const empty = { faces: [], found: [] };
  const wrong = { faces: [], found: [found(0, 0.6), found(20, 0.7)] };
  assert.equal(picturesWithFaces([empty, wrong, wrong], 0.65), 2);
  assert.equal(picturesWithFaces([empty, wrong, wrong], 0.71), 0);
});
