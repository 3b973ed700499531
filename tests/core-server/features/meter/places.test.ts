import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Quad, turned } from '../../../../core-server/features/meter/geometry.js';
import { chooseCandidates, locate } from '../../../../core-server/features/meter/locate/locate.js';
import { oneOfEach, otherStarts } from '../../../../core-server/features/meter/locate/other-starts.js';
import { isRivalled } from '../../../../core-server/features/meter/network-counter-reader.js';
import { regionOf } from '../../../../core-server/features/meter/run-on-quads.js';
import { box } from './fixtures.js';
import { type Corners, nearQuad, rules } from './reference.js';

const corners = (quad: Quad): Corners => quad.map(({ x, y }) => [x, y]);

suite('chooseCandidates', () => {
  const at = (x: number, score: number, width = 100) => ({ quad: box(x, 0, width, 20), score });
  const limits = { ...rules, candidates: 2, minLocateScore: 0.05, relativeLocateScore: 0.2, sameCounterDistance: 0.35 };
  const cases: [string, ReturnType<typeof at>[], number[]][] = [
    ['one for each counter', [at(0, 0.9), at(34, 0.8), at(36, 0.7)], [0, 36]],
    ['one where the wider one covers the other', [at(0, 0.9), at(15, 0.8, 200)], [0]],
    ['the very best whatever its score', [at(0, 0.01), at(300, 0.009)], [0]],
    ['none below a share of the best', [at(0, 0.9), at(300, 0.17)], [0]],
    ['so many at most', [at(0, 0.9), at(300, 0.8), at(600, 0.7)], [0, 300]],
    ['none of none', [], []],
  ];
  for (const [name, found, expected] of cases) {
    test(name, () =>
      assert.deepEqual(
        chooseCandidates(found, limits).map(({ quad }) => quad[0].x),
        expected,
      ),
    );
  }
});

test('a place is found in a picture that is higher than wide, and in one that is wider', async () => {
  const place = box(60, 100, 100, 20);
  for (const [width, height, left, top] of [
    [300, 400, 40, 0],
    [400, 300, 0, 40],
  ] as const) {
    // In a square of 320: scale 0.8, and half of the rest on each side.
    const quads = Float32Array.from(place.flatMap(({ x, y }) => [x * 0.8 + left, y * 0.8 + top]));
    const run = () =>
      Promise.resolve({
        quads: { type: 'float32' as const, data: quads, dims: [1, 4, 2] },
        scores: { type: 'float32' as const, data: Float32Array.of(0.9), dims: [1] },
      });
    const [found] = await locate(run, { data: new Uint8Array(width * height * 3), width, height }, rules);
    nearQuad(found?.quad, corners(place));
  }
});

suite('otherStarts', () => {
  const candidate = { quad: box(100, 50, 100, 20), score: 0.7 };
  const unless = { read: 0.5, confidence: 0.9 };
  const starting = { ...rules, otherStarts: { unless, scales: [1.2, 0.8], wholeFrom: 2 } };
  const startsIn = (width: number, height: number) => otherStarts(candidate, { width, height }, starting);
  const scaled = [box(90, 50, 120, 20), box(110, 50, 80, 20)];

  test('are wider and narrower', () => {
    const starts = startsIn(399, 200);
    assert.equal(starts.length, scaled.length);
    for (const [at, { quad, score }] of starts.entries()) {
      nearQuad(quad, corners(scaled[at] ?? quad));
      assert.equal(score, candidate.score);
    }
  });
  test('are the whole of a long picture too', () => {
    assert.deepEqual(startsIn(400, 200)[2], { quad: box(0, 0, 400, 200), score: 0.7 });
  });
});

suite('oneOfEach', () => {
  const at = (quad: Quad, weight: number) => ({ quad, weight });
  const counter = box(0, 0, 100, 20);
  test('keeps the best of a counter in each direction, the best first', () => {
    const turnedOne = at(turned(counter), -3);
    const best = at(box(5, 0, 100, 20), -1);
    const other = at(box(0, 200, 100, 20), -2);
    const kept = oneOfEach([turnedOne, at(counter, -1.5), best, other], { ...rules, sameCounterDistance: 0.35 });
    assert.deepEqual(kept, [best, other, turnedOne]);
  });
});

suite('isRivalled', () => {
  const counter = box(0, 0, 100, 20);
  const below = box(0, 200, 100, 20);
  const cases: [string, Quad, number, Record<string, number>, boolean][] = [
    ['by a place that reads as a counter', below, 0.3, { '123': 0.5 }, true],
    ['by its likeliest reading', below, 0.3, { '123': 0.4, '124': 0.5 }, true],
    ['not by one that is hardly legible', below, 0.29, { '123': 0.5 }, false],
    ['not by one with no likely reading', below, 0.3, { '123': 0.49 }, false],
    ['not by one that holds no digits', below, 0.9, {}, false],
    ['not by itself', counter, 0.9, { '123': 0.9 }, false],
  ];
  for (const [name, quad, legible, readings, expected] of cases) {
    test(name, () => {
      const place = { quad, legible, readings: new Map(Object.entries(readings)) };
      const refusing = { ...rules, refuse: { legible: 0.3, confidence: 0 } };
      assert.equal(isRivalled(counter, [place], refusing), expected);
    });
  }
});

suite('regionOf', () => {
  const picture = { width: 403, height: 301 };
  const cases: [string, Quad[], [number, number, number, number]][] = [
    ['has room for the coarsest level, on its grid', [box(101, 50, 99, 27)], [92, 40, 116, 48]],
    ['covers all strips', [box(101, 50, 99, 27), box(40, 90, 20, 5)], [32, 40, 176, 64]],
    ['keeps to the picture', [box(-50, -5, 950, 705)], [0, 0, 403, 301]],
    ['is never too small, outside either', [box(500, 400, 1, 1)], [384, 284, 19, 17]],
  ];
  for (const [name, quads, expected] of cases) {
    test(name, () => {
      const { left, top, width, height } = regionOf(quads, picture);
      assert.deepEqual([left, top, width, height], expected);
    });
  }
});
