import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { decodeCtc } from '../../core-server/meter/ctc-text.js';
import { findDigitRuns } from '../../core-server/meter/digit-runs.js';
import { type Quad, angleOf, sizeOf } from '../../core-server/meter/geometry.js';
import { minAreaRect } from '../../core-server/meter/min-area-rect.js';
import { countRedWheels, toCounterReading } from '../../core-server/meter/ocr-counter.js';
import type { OcrLine } from '../../core-server/meter/ocr-lines.js';
import { rednessAt } from '../../core-server/meter/redness.js';
import { sampleQuad } from '../../core-server/meter/sample-quad.js';
import { selectReading } from '../../core-server/meter/select-reading.js';
import { findTextBoxes } from '../../core-server/meter/text-boxes.js';

/** A box of that size with its top left corner there, turned by an angle in degrees about it. */
function box(x: number, y: number, width: number, height: number, degrees = 0): Quad {
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  const at = (u: number, v: number) => ({ x: x + u * cos - v * sin, y: y + u * sin + v * cos });
  return [at(0, 0), at(width, 0), at(width, height), at(0, height)];
}

function line(text: string, quad: Quad, confidence = 0.95, redness: number[] = []): OcrLine {
  const characters = [...text].map((character, index) => ({
    text: character,
    confidence,
    position: (index + 0.5) / text.length,
    redness: redness[index] ?? 0,
  }));
  return { quad, characters, score: confidence };
}

const readingOf = (lines: OcrLine[]) =>
  selectReading(lines)
    ?.run.digits.map(({ digit }) => digit)
    .join('');

suite('selectReading', () => {
  const counter = line('00123456', box(100, 100, 200, 40));
  const serial = line('20190815', box(120, 200, 100, 16));

  const cases: [string, OcrLine[], string | undefined][] = [
    ['takes the tall row of digits before the serial number', [serial, counter], '00123456'],
    [
      'takes the direction that was read surely',
      [line('95h8Z1O0', box(300, 140, 200, 40, 180), 0.4), counter],
      '00123456',
    ],
    [
      'takes an upside-down counter where only that direction reads well',
      [line('0/8Z', box(100, 100, 200, 40), 0.4), line('02800870', box(300, 140, 200, 40, 180))],
      '02800870',
    ],
    [
      'reads letters that wheels look like as digits',
      [line('OO1234', box(0, 0, 200, 40))],
      '001234',
    ],
    ['skips gaps and commas between wheels', [line('00 12,3', box(0, 0, 200, 40))], '00123'],
    ['drops a unit after the digits', [line('00123m', box(0, 0, 200, 40))], '00123'],
    ['finds nothing without lines', [], undefined],
    ['finds nothing in words', [line('COLD WATER', box(0, 0, 200, 40))], undefined],
    [
      'does not take a word of lookalikes for digits',
      [line('IOOIlO', box(0, 0, 200, 40))],
      undefined,
    ],
    ['does not take three digits for a counter', [line('123', box(0, 0, 100, 40))], undefined],
    ['does not take ten digits for a counter', [line('0123456789', box(0, 0, 300, 30))], undefined],
    [
      'refuses digits that were hardly seen beside tall words',
      [line('WATER', box(0, 0, 300, 90)), line('7391', box(10, 200, 40, 14), 0.3)],
      undefined,
    ],
  ];
  for (const [name, lines, expected] of cases) {
    test(name, () => assert.equal(readingOf(lines), expected));
  }

  test('is surer of sure digits', () => {
    const sure = selectReading([line('00123', box(0, 0, 200, 40), 0.99)]);
    const unsure = selectReading([line('00123', box(0, 0, 200, 40), 0.6)]);
    assert.ok(sure && unsure && sure.confidence > unsure.confidence);
  });

  test('tells of a second counter elsewhere, not of the other direction of the same', () => {
    const twin = line('00777', box(100, 400, 200, 40));
    const here = line('00123', box(100, 100, 200, 40));
    const back = line('00321', box(300, 140, 200, 40, 180));
    assert.equal(selectReading([here, twin])?.rivalled, true);
    assert.equal(selectReading([here, back])?.rivalled, false);
  });
});

suite('findDigitRuns', () => {
  test('places each digit in its part of the line', () => {
    const [run] = findDigitRuns(line('12345', box(100, 50, 200, 40)));
    assert.ok(run);
    const lefts = run.digits.map(({ quad }) => Math.round(quad[0].x));
    assert.deepEqual(lefts, [100, 140, 180, 220, 260]);
    assert.deepEqual(
      run.digits.map(({ quad }) => Math.round(sizeOf(quad).width)),
      Array(5).fill(40),
    );
  });

  test('splits a line at letters', () => {
    const runs = findDigitRuns(line('1234K5678', box(0, 0, 300, 30)));
    assert.deepEqual(
      runs.map((run) => run.digits.map(({ digit }) => digit).join('')),
      ['1234', '5678'],
    );
  });
});

suite('countRedWheels', () => {
  const cases: [string, number[], number | undefined][] = [
    ['three red after five black', [0.1, 0.1, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4], 3],
    ['one red', [0, 0, 0, 0, 0, 0.3], 1],
    ['red light on all of them', [0.59, 0.6, 0.57, 0.54, 0.55, 0.7, 0.69, 0.71], 3],
    ['five black', [0.1, 0.11, 0.1, 0.12, 0.1], 0],
    ['eight without a step', [0, 0.01, 0, 0.01, 0, 0.01, 0.02, 0.01], undefined],
    ['a red wheel in the middle is no fraction', [0, 0, 0.5, 0, 0, 0], undefined],
  ];
  for (const [name, redness, expected] of cases) {
    test(name, () => assert.equal(countRedWheels(redness), expected));
  }

  test('is what a reading gets', () => {
    const red = [0, 0, 0, 0, 0, 0.4, 0.4, 0.4];
    const selected = selectReading([line('00123456', box(0, 0, 200, 40), 0.9, red)]);
    assert.ok(selected);
    assert.equal(toCounterReading(selected).fractionWheels, 3);
  });
});

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
    assert.deepEqual(
      found.map(({ score }) => Math.round(score * 10) / 10),
      [0.9, 0.8],
    );
    const size = found[0] && sizeOf(found[0].quad);
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

suite('sampleQuad', () => {
  // 4 × 2 pixels: red left, blue right.
  const picture = {
    width: 4,
    height: 2,
    data: Uint8Array.from(
      [0, 0, 1, 1, 0, 0, 1, 1].flatMap((blue) => (blue === 1 ? [0, 0, 255] : [255, 0, 0])),
    ),
  };
  const whole: Quad = [
    { x: -0.5, y: -0.5 },
    { x: 3.5, y: -0.5 },
    { x: 3.5, y: 1.5 },
    { x: -0.5, y: 1.5 },
  ];

  test('gives planes B, G, R from -1 to 1', () => {
    const strip = sampleQuad(picture, whole, 4, 2);
    assert.deepEqual([...strip.subarray(0, 4)], [-1, -1, 1, 1]);
    assert.deepEqual([...strip.subarray(16, 20)], [1, 1, -1, -1]);
  });
  test('reads in the direction of the quad', () => {
    const [a, b, c, d] = whole;
    const strip = sampleQuad(picture, [c, d, a, b], 4, 2);
    assert.deepEqual([...strip.subarray(0, 4)], [1, 1, -1, -1]);
  });
  test('shows where it is red', () => {
    const strip = sampleQuad(picture, whole, 4, 2);
    const size = { width: 4, height: 2 };
    assert.equal(rednessAt(strip, size, 0, 0), 2);
    assert.equal(rednessAt(strip, size, 0.75, 0), -1);
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
