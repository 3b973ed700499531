import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Quad } from '../../core-server/meter/geometry.js';
import { chooseCandidates } from '../../core-server/meter/locate.js';
import { stripRegion } from '../../core-server/meter/strip-region.js';
import { quadOf } from './meter-reference.js';

suite('chooseCandidates', () => {
  const at = (x: number, score: number) => ({
    quad: quadOf([
      [x, 0],
      [x + 100, 0],
      [x + 100, 20],
      [x, 20],
    ]),
    score,
  });
  const limits = {
    candidates: 2,
    minLocateScore: 0.05,
    relativeLocateScore: 0.2,
    sameCounterDistance: 0.35,
  };
  const cases: [string, ReturnType<typeof at>[], number[]][] = [
    ['one for each counter', [at(0, 0.9), at(34, 0.8), at(36, 0.7)], [0, 36]],
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

suite('stripRegion', () => {
  const box = (xmin: number, ymin: number, xmax: number, ymax: number) =>
    quadOf([
      [xmin, ymin],
      [xmax, ymin],
      [xmax, ymax],
      [xmin, ymax],
    ]);
  const picture = { width: 403, height: 301 };
  const cases: [string, Quad[], [number, number, number, number]][] = [
    ['has room for the coarsest level, on its grid', [box(101, 50, 200, 77)], [92, 40, 116, 48]],
    ['covers all strips', [box(101, 50, 200, 77), box(40, 90, 60, 95)], [32, 40, 176, 64]],
    ['keeps to the picture', [box(-50, -5, 900, 700)], [0, 0, 403, 301]],
    ['is never too small, outside either', [box(500, 400, 501, 401)], [384, 284, 19, 17]],
  ];
  for (const [name, quads, expected] of cases) {
    test(name, () => {
      const { left, top, width, height } = stripRegion(quads, picture);
      assert.deepEqual([left, top, width, height], expected);
    });
  }
});
