import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { angleOf, type Quad, sizeOf } from '../../../core-server/features/meter/geometry.js';
import { box } from '../../core-server/features/meter/fixtures.js';
import { decodeCtc } from './paddle-counter/ctc-text.js';
import { minAreaRect } from './paddle-counter/min-area-rect.js';
import { findTextBoxes } from './paddle-counter/text-boxes.js';

suite('minAreaRect', () => {
  const corners = (quad: Quad) => quad.map(({ x, y }) => [Math.round(x), Math.round(y)]);

  for (const degrees of [0, 20, -35, 44, 89]) {
    test(`finds a box turned by ${degrees} degrees`, () => {
      const found = minAreaRect(box(100, 100, 80, 20, degrees), () => 0);
      assert.ok(found);
      const { width, height } = sizeOf(found);
      assert.ok(Math.abs(width - 80) < 1e-6 && Math.abs(height - 20) < 1e-6);
      const turn = (angleOf(found) * 180) / Math.PI - degrees;
      assert.ok(Math.abs(turn % 180) < 1e-6, `off by ${turn}`);
    });
  }
  test('lets the reading direction of a lying box point right, of a standing box up', () => {
    assert.deepEqual(corners(minAreaRect(box(0, 0, 60, 10), () => 0) ?? box(0, 0, 0, 0)), [
      [0, 0],
      [60, 0],
      [60, 10],
      [0, 10],
    ]);
    assert.deepEqual(corners(minAreaRect(box(0, 0, 10, 60), () => 0) ?? box(0, 0, 0, 0)), [
      [0, 60],
      [0, 0],
      [10, 0],
      [10, 60],
    ]);
  });
  test('grows every side', () => {
    const grown = minAreaRect(box(10, 10, 60, 20), () => 5);
    assert.deepEqual(grown && sizeOf(grown), { width: 70, height: 30 });
  });
  test('gives nothing for points on a line', () => {
    assert.equal(
      minAreaRect(
        [
          { x: 0, y: 0 },
          { x: 1, y: 1 },
          { x: 2, y: 2 },
        ],
        () => 0,
      ),
      null,
    );
    assert.equal(
      minAreaRect([], () => 0),
      null,
    );
  });
});

suite('findTextBoxes', () => {
  const options = { pixelThreshold: 0.3, boxThreshold: 0.5, unclipRatio: 1.5, minHeight: 3 };
  const paint = (areas: [number, number, number, number, number][]) => {
    const map = { data: new Float32Array(100 * 60), width: 100, height: 60 };
    for (const [left, top, width, height, value] of areas) {
      for (let y = top; y < top + height; y++) {
        map.data.fill(value, y * 100 + left, y * 100 + left + width);
      }
    }
    return map;
  };

  test('finds each island, grown by area × ratio / perimeter', () => {
    const found = findTextBoxes(
      paint([
        [10, 10, 41, 9, 0.9],
        [60, 40, 31, 5, 0.8],
      ]),
      options,
    );
    assert.equal(found.length, 2);
    const size = found[0] && sizeOf(found[0]);
    const by = (40 * 8 * 1.5) / (2 * 48);
    assert.deepEqual(size, { width: 40 + 2 * by, height: 8 + 2 * by });
  });
  test('drops faint and thin islands', () => {
    assert.deepEqual(
      findTextBoxes(
        paint([
          [10, 10, 40, 9, 0.4],
          [10, 40, 40, 2, 0.9],
        ]),
        options,
      ),
      [],
    );
  });
});

suite('decodeCtc', () => {
  const alphabet = ['a', 'b'];
  const steps = (...rows: [number, number, number][]) => Float32Array.from(rows.flat());

  test('merges repeats, keeps repeats that a blank parts', () => {
    const read = decodeCtc(
      steps([0, 1, 0], [0.1, 0.9, 0], [1, 0, 0], [0.2, 0.8, 0], [0.5, 0, 0.5], [0, 0, 1]),
      alphabet,
    );
    assert.deepEqual(read.map(({ text }) => text).join(''), 'aab');
  });
  test('places a character in the middle of its steps with its best probability', () => {
    const [only] = decodeCtc(steps([1, 0, 0], [0.4, 0.6, 0], [0.1, 0.9, 0], [1, 0, 0]), alphabet);
    assert.equal(only?.position, 0.5);
    assert.ok(Math.abs((only?.confidence ?? 0) - 0.9) < 1e-6);
  });
  test('reads nothing from blanks', () => {
    assert.deepEqual(decodeCtc(steps([1, 0, 0], [1, 0, 0]), alphabet), []);
  });
});
