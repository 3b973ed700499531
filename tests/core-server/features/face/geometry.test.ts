import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  area,
  byAreaThenScore,
  type Candidate,
  clampBox,
  intersectionOverUnion,
  mirrorBack,
  mostFaces,
  sameFaceOverlap,
  suppress,
  toPicture,
  turnBack,
  turnsOf,
  withoutParts,
} from '../../../../core-server/features/face/geometry.js';
import type { Point } from '../../../../core-server/image/picture.js';

const box = (xmin: number, ymin: number, xmax: number, ymax: number) => ({ xmin, ymin, xmax, ymax });
const face = (score: number, ...corners: [number, number, number, number]): Candidate => ({
  box: box(...corners),
  score,
  landmarks: [],
});

test('intersection over union', () => {
  const table: [string, ReturnType<typeof box>, ReturnType<typeof box>, number][] = [
    ['the same', box(0, 0, 10, 10), box(0, 0, 10, 10), 1],
    ['half shifted', box(0, 0, 10, 10), box(5, 0, 15, 10), 1 / 3],
    ['one in the other', box(0, 0, 10, 10), box(0, 0, 5, 10), 0.5],
    ['touching', box(0, 0, 10, 10), box(10, 0, 20, 10), 0],
    ['apart', box(0, 0, 10, 10), box(50, 50, 60, 60), 0],
    ['apart on both axes, where widths and heights are both negative', box(9, 9, 10, 10), box(0, 0, 1, 1), 0],
    ['empty', box(5, 5, 5, 5), box(5, 5, 5, 5), 0],
  ];
  for (const [name, a, b, want] of table) {
    assert.equal(intersectionOverUnion(a, b), want, name);
    assert.equal(intersectionOverUnion(b, a), want, `${name}, turned round`);
  }
});

test('suppression keeps the best of each face, best first', () => {
  const best = face(0.9, 0, 0, 10, 10);
  const double = face(0.8, 1, 0, 11, 10);
  const neighbour = face(0.7, 8, 0, 18, 10);
  const other = face(0.95, 50, 0, 60, 10);
  assert.deepEqual(suppress([double, neighbour, best, other]), [other, best, neighbour]);
  assert.deepEqual(suppress([]), []);
});

test('of more faces than can be compared, the best are kept', () => {
  const many = Array.from({ length: mostFaces + 10 }, (_, i) => face(i / 10_000, i * 20, 0, i * 20 + 10, 10));
  assert.deepEqual(suppress(many), many.toReversed().slice(0, mostFaces));
});

test('what a suppressed candidate overlaps is not suppressed by it', () => {
  const a = face(0.9, 0, 0, 10, 10);
  const between = face(0.8, 3, 0, 13, 10);
  const b = face(0.7, 6, 0, 16, 10);
  assert.deepEqual(suppress([a, between, b]), [a, b]);
});

test('an overlap of exactly the limit is the same face', () => {
  const a = face(0.9, 0, 0, 20, 10);
  const within = face(0.8, 0, 0, 9, 10);
  const narrower = face(0.8, 0, 0, 8.99, 10);
  assert.equal(intersectionOverUnion(a.box, within.box), sameFaceOverlap);
  assert.deepEqual(suppress([a, within]), [a]);
  assert.deepEqual(suppress([a, narrower]), [a, narrower]);
});

test('what is within or around a better and sure face by seven tenths, with the eyes there, is a part of it', () => {
  const withEyes = (y: number, ...of: Parameters<typeof face>): Candidate => ({
    ...face(...of),
    landmarks: [2, 8].map((x) => ({ x, y })),
  });
  const whole = withEyes(4, 0.9, 0, 0, 10, 10);
  const part = (score: number, share: number) => withEyes(3, score, 0, -10 + 10 * share, 5, 10 * share);
  const [half, less, around] = [part(0.8, 0.7), part(0.8, 0.69), withEyes(17, 0.8, 0, 0, 30, 30)];
  assert.deepEqual(withoutParts([around, half, less, whole], 0.9), [less, whole]);
  assert.deepEqual(withoutParts([half, whole], 0.91), [half, whole]);
  assert.deepEqual(withoutParts([whole, part(0.95, 0.7)], 0.9), [part(0.95, 0.7)]);
  const behind = withEyes(17.1, 0.8, 0, 0, 30, 30);
  assert.deepEqual(withoutParts([behind, whole], 0.9), [behind, whole]);
});

test('a candidate of a look is moved and scaled to the picture', () => {
  const candidate = { ...face(0.5, 10, 20, 30, 40), landmarks: [{ x: 15, y: 25 }] };
  const region = { left: 100, top: 50, width: 400, height: 100 };
  assert.deepEqual(toPicture([candidate], { width: 200, height: 200 }, region)[0], {
    box: box(120, 60, 160, 70),
    score: 0.5,
    landmarks: [{ x: 130, y: 62.5 }],
  });
});

test('a candidate of a mirror image comes back, with the eyes and corners of the mouth on their own sides', () => {
  const points = (...xs: number[]): Point[] => xs.map((x, y) => ({ x, y }));
  const candidate = { ...face(0.5, 10, 20, 30, 40), landmarks: points(12, 25, 19, 14, 24) };
  assert.deepEqual(mirrorBack(candidate, { width: 100 }), {
    box: box(70, 20, 90, 40),
    score: 0.5,
    landmarks: [
      { x: 75, y: 1 },
      { x: 88, y: 0 },
      { x: 81, y: 2 },
      { x: 76, y: 4 },
      { x: 86, y: 3 },
    ],
  });
});

test('the eyes of a face say how its picture is turned', () => {
  const picture = { width: 100, height: 80 };
  for (const [left, turns] of [
    [{ x: 30, y: 20 }, 0],
    [{ x: 30, y: 29 }, 0],
    [{ x: 20, y: 10 }, 1],
    [{ x: 10, y: 22 }, 2],
    [{ x: 22, y: 30 }, 3],
  ] as const) {
    const lying = { ...face(0.5, 10, 10, 40, 40), landmarks: [{ x: 20, y: 20 }, left] };
    assert.equal(turnsOf(lying), turns, JSON.stringify(left));
  }
  for (const turns of [1, 2, 3] as const) {
    const upright = {
      ...face(0.5, 10, 10, 40, 40),
      landmarks: [
        { x: 20, y: 20 },
        { x: 30, y: 20 },
      ],
    };
    assert.equal(turnsOf(turnBack(upright, turns, picture)), turns);
  }
  assert.equal(turnsOf(face(0.5, 10, 10, 40, 40)), 0);
});

test('a box is clamped to the picture and rounded to hundredths, or gone', () => {
  const size = { width: 100, height: 50 };
  const table: [string, number[], number[] | undefined][] = [
    ['inside', [1.234, 2.345, 30.006, 40.004], [1.23, 2.35, 30.01, 40]],
    ['over every edge', [-5, -6, 105, 60], [0, 0, 100, 50]],
    ['outside', [101, 0, 120, 50], undefined],
    ['above', [0, -20, 10, -1], undefined],
    ['less than a pixel wide', [10, 10, 10.99, 20], undefined],
    ['one pixel', [10, 10, 11, 11], [10, 10, 11, 11]],
    ['less than a pixel left of it', [99.5, 10, 120, 20], undefined],
  ];
  for (const [name, [xmin = 0, ymin = 0, xmax = 0, ymax = 0], want] of table) {
    const clamped = clampBox(box(xmin, ymin, xmax, ymax), size);
    assert.deepEqual(clamped && Object.values(clamped), want, name);
  }
});

test('faces are ordered by area, of equal area by score', () => {
  const small = face(0.99, 0, 0, 5, 5);
  const large = face(0.5, 0, 0, 10, 10);
  const wide = face(0.6, 0, 0, 20, 5);
  assert.equal(area(large.box), area(wide.box));
  assert.deepEqual([small, large, wide].sort(byAreaThenScore), [wide, large, small]);
});

test('faces of the same sides are of equal area wherever they are', () => {
  const best = face(0.9, 59.57, 40.17, 157.01, 240.73);
  const other = face(0.6, 502.5, 554.18, 599.94, 754.74);
  assert.ok(area(best.box) < area(other.box));
  assert.deepEqual([other, best].sort(byAreaThenScore), [best, other]);
});
