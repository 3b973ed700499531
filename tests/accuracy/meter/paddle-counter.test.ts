import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Quad, sizeOf } from '../../../core-server/features/meter/geometry.js';
import { box } from '../../core-server/features/meter/fixtures.js';
import { countRedWheels } from './paddle-counter/count-red-wheels.js';
import { type ColouredLine, findDigitRuns } from './paddle-counter/digit-runs.js';
import { rednessAt } from './paddle-counter/redness.js';
import { selectReading } from './paddle-counter/select-reading.js';

function line(text: string, quad: Quad, confidence = 0.95, redness: number[] = []): ColouredLine {
  const characters = [...text].map((character, index) => ({
    text: character,
    confidence,
    position: (index + 0.5) / text.length,
    redness: redness[index] ?? 0,
  }));
  return { quad, characters };
}

const readingOf = (lines: ColouredLine[]) =>
  selectReading(lines)
    ?.run.digits.map(({ digit }) => digit)
    .join('');

suite('selectReading', () => {
  const counter = line('00123456', box(100, 100, 200, 40));
  const serial = line('20190815', box(120, 200, 100, 16));

  const cases: [string, ColouredLine[], string | undefined][] = [
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
    ['reads letters that wheels look like as digits', [line('OO1234', box(0, 0, 200, 40))], '001234'],
    ['skips gaps and commas between wheels', [line('00 12,3', box(0, 0, 200, 40))], '00123'],
    ['drops a unit after the digits', [line('00123m', box(0, 0, 200, 40))], '00123'],
    ['finds nothing without lines', [], undefined],
    ['finds nothing in words', [line('COLD WATER', box(0, 0, 200, 40))], undefined],
    ['does not take a word of lookalikes for digits', [line('IOOIlO', box(0, 0, 200, 40))], undefined],
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
});

suite('rednessAt', () => {
  test('is 2 in pure red, -1 in pure blue', () => {
    // 4 × 2 pixels, red left, blue right.
    const row = [255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255];
    const strip = { data: Uint8Array.from([...row, ...row]), width: 4, height: 2 };
    assert.equal(rednessAt(strip, 0, 0), 2);
    assert.equal(rednessAt(strip, 0.75, 0), -1);
  });
});
