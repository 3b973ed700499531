import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { assembleReading } from '../../../../core-server/features/meter/assemble.js';
import type { CounterReading } from '../../../../core-server/features/meter/counter-reading.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import { lightOf } from '../../../../core-server/features/meter/read/counter-light.js';
import type { ReadingWarningName } from '../../../../core-server/features/meter/task.js';
import { wholeOf } from '../../../../core-server/image/picture.js';
import { ReadingWarning } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { box, sureCounter } from './fixtures.js';

const upright = box(10, 20, 80, 20);
const [a, b, c, d] = upright;
const rotated = (degrees: number) => box(10, 20, 80, 20, degrees);
const facts = {
  picture: { width: 200, height: 100 },
  copy: { width: 100, height: 50 },
  shown: wholeOf({ width: 100, height: 50 }),
  light: 'good',
  checkBelow: 0.8,
  known: {},
} as const;

function counter(digits: string, rest: Partial<CounterReading> = {}): CounterReading {
  const wheels = [...digits].map((digit) => ({ digit, confidence: 0.9, quad: upright, betweenPositions: false }));
  return { ...sureCounter(upright, wheels), digitsConfidence: 0.9, ...rest };
}

suite('assembleReading', () => {
  test('tells pixels in hundredths and probabilities in ten-thousandths', () => {
    const third = 1 / 3;
    const quad = upright.map(({ x, y }) => ({ x: x * third, y: y * third })) as unknown as Quad;
    const wheels = [{ digit: '7', confidence: 2 / 3, quad, betweenPositions: false }];
    const alternatives = [{ text: '8', probability: third }];
    // At the picture's edge, but of one wheel, as the caller knows.
    const known = { digits: 1 };
    const reading = assembleReading(counter('7', { wheels, quad, digitsConfidence: 0.79996, alternatives }), {
      ...facts,
      known,
    });
    const box = { xmin: 6.67, ymin: 13.33, xmax: 60, ymax: 26.67 };
    assert.deepEqual(reading.boundingBox, box);
    const polygon = [
      { x: 6.67, y: 13.33 },
      { x: 60, y: 13.33 },
      { x: 60, y: 26.67 },
      { x: 6.67, y: 26.67 },
    ];
    assert.deepEqual(reading.polygon, polygon);
    assert.deepEqual(reading.digits, [{ digit: '7', confidence: 0.6667, boundingBox: box, polygon }]);
    assert.equal(reading.alternatives[0]?.probability, 0.3333);
    // The status is that of the confidence as it is told: 0.8, which is not below.
    assert.equal(reading.confidence, 0.8);
    assert.equal(reading.status, 'OK');
  });

  const values: [string, number | undefined, string][] = [
    ['00123456', 3, '00123.456'],
    ['00123', 0, '00123'],
    ['00123', undefined, '00123'],
    ['250', 2, '2.50'],
    ['0', 0, '0'],
  ];
  for (const [digits, fractionWheels, value] of values) {
    test(`shows ${digits} with ${fractionWheels} fraction wheels as ${value}`, () => {
      const reading = assembleReading(counter(digits, { fractionWheels }), facts);
      assert.equal(reading.meterNumber, digits);
      assert.equal(reading.value, value);
      assert.equal(reading.unit, 'm3');
      assert.equal(reading.digits.map(({ digit }) => digit).join(''), digits);
    });
  }

  test('has the unit that the caller expects', () => {
    const { unit } = assembleReading(counter('1'), { ...facts, known: { unit: 'kWh' } });
    assert.equal(unit, 'kWh');
  });
  test('splits the confidence in its parts', () => {
    const { confidence, details } = assembleReading(
      counter('1', { digitsConfidence: 0.9, fractionConfidence: 0.5 }),
      facts,
    );
    assert.equal(confidence, 0.45);
    assert.deepEqual(details, { digitsConfidence: 0.9, fractionConfidence: 0.5 });
  });
  test('is OK from the limit on and CHECK below', () => {
    const statusAt = (digitsConfidence: number, fractionConfidence = 1) =>
      assembleReading(counter('1', { digitsConfidence, fractionConfidence }), facts).status;
    assert.equal(statusAt(0.8), 'OK');
    assert.equal(statusAt(0.799), 'CHECK');
    assert.equal(statusAt(0.9, 0.8), 'CHECK');
  });

  for (const [fractionWheels, value] of [
    [undefined, '00123456'],
    [3, '00123.456'],
  ] as const) {
    test(`is CHECK where the fraction is not sure, however sure the digits are: ${value}`, () => {
      const doubtful = { digitsConfidence: 1, fractionWheels, isFractionSure: false };
      const reading = assembleReading(counter('00123456', doubtful), facts);
      assert.equal(reading.status, 'CHECK');
      assert.equal(reading.value, value);
      assert.deepEqual(reading.warnings, ['FRACTION_UNKNOWN']);
    });
  }

  test('is CHECK where there are several counters, since it may be of another than the one that is meant', () => {
    assert.equal(assembleReading(counter('12', { digitsConfidence: 1, rivalled: true }), facts).status, 'CHECK');
  });

  test('compares an amount whose point is not sure as far as it holds wherever the point is', () => {
    const doubtful = counter('00123456', { fractionWheels: 3, isFractionSure: false });
    const known = { previous: decimalOf('200', 0) };
    assert.deepEqual(assembleReading(doubtful, { ...facts, known }).warnings, ['FRACTION_UNKNOWN']);
    const above = { previous: decimalOf('123457', 0) };
    assert.deepEqual(assembleReading(doubtful, { ...facts, known: above }).warnings, [
      'FRACTION_UNKNOWN',
      'BELOW_PREVIOUS',
    ]);
    const sure = counter('00123456', { fractionWheels: 3 });
    assert.deepEqual(assembleReading(sure, { ...facts, known }).warnings, ['BELOW_PREVIOUS']);
  });

  test('gives boxes in pixels of the upright picture, clamped to it', () => {
    assert.deepEqual(assembleReading(counter('1'), facts).boundingBox, { xmin: 20, ymin: 40, xmax: 180, ymax: 80 });
    const beyond = box(-5, -5, 155, 65);
    assert.deepEqual(assembleReading(counter('1', { quad: beyond }), facts).boundingBox, {
      xmin: 0,
      ymin: 0,
      xmax: 200,
      ymax: 100,
    });
  });

  test('gives the corners in reading order, beyond the picture too', () => {
    const upsideDown: Quad = [
      { x: 150, y: 60 },
      { x: -5, y: 60 },
      { x: -5, y: 20 },
      { x: 150, y: 20 },
    ];
    const { polygon } = assembleReading(counter('1', { quad: upsideDown }), { ...facts, copy: facts.picture });
    assert.deepEqual(polygon, upsideDown);
  });

  const between = counter('12').wheels.map((wheel, i) => ({ ...wheel, betweenPositions: i === 1 }));
  type Facts = Parameters<typeof assembleReading>[1];
  const previous = decimalOf('10', 0);
  const warned: [ReadingWarningName, Partial<CounterReading>, Partial<Facts>][] = [
    ['DIGIT_BETWEEN_POSITIONS', { wheels: between }, {}],
    ['FRACTION_UNKNOWN', { isFractionSure: false }, {}],
    ['SEVERAL_COUNTERS', { rivalled: true }, {}],
    ['ROTATED_INPUT', { quad: [c, d, a, b] }, {}],
    ['ROTATED_INPUT', { quad: [b, c, d, a] }, {}],
    ['ROTATED_INPUT', { quad: rotated(46) }, {}],
    ['ROTATED_INPUT', { quad: rotated(-46) }, {}],
    ['LOW_LIGHT', {}, { light: 'dark' }],
    ['GLARE', {}, { light: 'glare' }],
    ['UNEXPECTED_DIGITS', {}, { known: { digits: 3 } }],
    ['BELOW_PREVIOUS', {}, { known: { previous: decimalOf('13', 0) } }],
    ['JUMP_TOO_LARGE', {}, { known: { previous, maxIncrease: decimalOf('19', 1) } }],
    ['COUNTER_CUT', { wheelBefore: true }, {}],
    ['COUNTER_CUT', {}, { shown: wholeOf({ width: 100, height: 90 }) }],
  ];
  for (const [warning, rest, more] of warned) {
    test(`warns of ${warning} alone`, () => {
      const { warnings } = assembleReading(counter('12', rest), { ...facts, ...more });
      assert.deepEqual(warnings, [warning]);
    });
  }
  test('is tested to warn of everything that the proto knows', () => {
    // Several photos have a test of their own.
    const all = Object.keys(ReadingWarning).filter(
      (name) => !['UNSPECIFIED', 'UNRECOGNIZED', 'PHOTOS_DISAGREE'].includes(name),
    );
    assert.deepEqual([...new Set(warned.map(([warning]) => warning))], all);
  });
  test('is CHECK where the caller knows better, however sure the digits are', () => {
    const statusWith = (known: Facts['known']) =>
      assembleReading(counter('12', { digitsConfidence: 1 }), { ...facts, known }).status;
    assert.equal(statusWith({ digits: 3 }), 'CHECK');
    assert.equal(statusWith({ decimals: 2 }), 'CHECK');
    assert.equal(statusWith({ previous: decimalOf('13', 0) }), 'CHECK');
    assert.equal(statusWith({ digits: 2, decimals: 1, previous }), 'OK');
  });
  test('shows alternatives with the same point', () => {
    const alternatives = [{ text: '00124', probability: 0.25 }];
    assert.deepEqual(assembleReading(counter('00123', { alternatives, fractionWheels: 2 }), facts).alternatives, [
      { meterNumber: '00124', value: '001.24', probability: 0.25 },
    ]);
  });
  test('does not warn of a good reading', () => {
    for (const quad of [upright, rotated(44), rotated(-44)]) {
      assert.deepEqual(assembleReading(counter('12', { quad }), facts).warnings, []);
    }
  });
});

suite('light', () => {
  const plain = (value: number, burntColumns = 0) => {
    const data = new Uint8Array(100 * 60 * 3).fill(value);
    for (let y = 0; y < 60; y++) data.fill(255, y * 300, y * 300 + burntColumns * 3);
    return lightOf({ width: 100, height: 60, data }, upright);
  };
  test('of an even grey is good', () => assert.equal(plain(150), 'good'));
  test('of a black counter is dark', () => assert.equal(plain(30), 'dark'));
  test('of a black counter with bright digits is not dark', () => assert.equal(plain(30, 15), 'glare'));
  test('is dark below 90 of 255', () => {
    assert.equal(plain(91), 'good');
    assert.equal(plain(89), 'dark');
  });
  test('is glare above 4 percent', () => {
    // 2 and 3 of the counter's 80 columns are 2 and 4 of 96 samples.
    assert.equal(plain(150, 12), 'good');
    assert.equal(plain(150, 13), 'glare');
  });
  test('burnt beside the counter is good', () => assert.equal(plain(150, 9), 'good'));
});
