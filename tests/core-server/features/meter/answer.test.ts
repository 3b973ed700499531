import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pino } from 'pino';
import { assembleReading } from '../../../../core-server/features/meter/assemble.js';
import type { CounterReading } from '../../../../core-server/features/meter/counter-reading.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import { mapped, type Quad } from '../../../../core-server/features/meter/geometry.js';
import { lightOf } from '../../../../core-server/features/meter/read/counter-light.js';
import { createMeterReadingHandlers } from '../../../../core-server/features/meter/service.js';
import type { MeterReading, ReadingWarningName, ReadMeterInput } from '../../../../core-server/features/meter/task.js';
import { ReadingStatus, ReadingWarning } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { Refusal } from '../../../../runtime/errors/refusal.js';
import { box, sureCounter } from './fixtures.js';
import { rules } from './reference.js';

const upright = box(10, 20, 80, 20);
const [a, b, c, d] = upright;
/** The counter rotated clockwise, wherever that brings it. */
function rotated(degrees: number): Quad {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return mapped(upright, ({ x, y }) => ({ x: x * cos - y * sin, y: x * sin + y * cos }));
}
const facts = {
  picture: { width: 200, height: 100 },
  copy: { width: 100, height: 50 },
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

  test('compares no amount with a point that is not sure', () => {
    const doubtful = counter('00123456', { fractionWheels: 3, isFractionSure: false });
    const known = { previous: decimalOf('200', 0) };
    assert.deepEqual(assembleReading(doubtful, { ...facts, known }).warnings, ['FRACTION_UNKNOWN']);
    const sure = counter('00123456', { fractionWheels: 3 });
    assert.deepEqual(assembleReading(sure, { ...facts, known }).warnings, ['BELOW_PREVIOUS']);
  });

  test('gives boxes in pixels of the upright picture, clamped to it', () => {
    assert.deepEqual(assembleReading(counter('1'), facts).boundingBox, {
      xmin: 20,
      ymin: 40,
      xmax: 180,
      ymax: 80,
    });
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
    ['COUNTER_CUT', {}, { copy: { width: 100, height: 90 } }],
  ];
  for (const [warning, rest, more] of warned) {
    test(`warns of ${warning} alone`, () => {
      const { warnings } = assembleReading(counter('12', rest), { ...facts, ...more });
      assert.deepEqual(warnings, [warning]);
    });
  }
  test('is tested to warn of everything that the proto knows', () => {
    // Several photos have a test of their own.
    const all = Object.keys(ReadingWarning).filter((name) => !['UNSPECIFIED', 'PHOTOS_DISAGREE'].includes(name));
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

suite('readMeter', () => {
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1]);
  const limits = { maxBytes: 100, maxPixels: 1000, maxSide: 100 };
  const signal = new AbortController().signal;
  const call = {
    signal,
    keyId: 'k1',
    clientAddress: '127.0.0.1',
    timeLeftMs: () => Infinity,
    reportStart: () => undefined,
    log: pino({ level: 'silent' }),
  };
  const reading = {
    ...assembleReading(counter('00123456', { fractionWheels: 3 }), facts),
    alternatives: [{ meterNumber: '00123457', value: '00123.457', probability: 0.2 }],
  };
  const { alternatives, details, ...others } = reading;
  const withCorners = { ...others, status: ReadingStatus.OK };
  const documented = {
    ...withCorners,
    polygon: [],
    digits: reading.digits.map((digit) => ({ ...digit, polygon: [] })),
  };
  const printed = { serialNumber: 'A1', unit: 'm3' };

  const model = { name: 'meter-read', version: '1' };

  function handlers(answer: MeterReading | null) {
    const runs: { task: string; input: ReadMeterInput; options: unknown }[] = [];
    const { readMeter } = createMeterReadingHandlers({
      pool: {
        run: (task, input, options) => {
          runs.push({ task, input, options });
          return Promise.resolve({ reading: answer, timings: {} });
        },
      },
      limits,
      rules,
      checkBelow: 0.7,
      model,
    });
    return { readMeter, runs };
  }

  test('has a worker read the photo and answers with the reading', async () => {
    const { readMeter, runs } = handlers(reading);
    assert.deepEqual(await readMeter({ image: jpeg }, call), documented);
    assert.equal(runs.length, 1);
    assert.equal(runs[0]?.task, 'readMeter');
    assert.deepEqual(Buffer.from(runs[0]?.input.image.bytes ?? []), jpeg);
    assert.equal(runs[0]?.input.checkBelow, 0.7);
    assert.ok(Object.values(runs[0]?.input.known ?? [null]).every((fact) => fact === undefined));
    assert.equal(runs[0]?.input.printed, false);
    assert.deepEqual(runs[0]?.options, call);
  });
  test('hands over what is known of the meter, answers with more when asked to', async () => {
    const { readMeter, runs } = handlers({ ...reading, printed });
    const known = {
      expectedDigits: 8,
      expectedDecimals: 3,
      previousReading: '00120.5',
      maxIncrease: '10',
      expectedUnit: 'kWh',
    };
    const wishes = { serialNumber: true, alternatives: true, details: true };
    assert.deepEqual(await readMeter({ image: jpeg, ...known, ...wishes }, call), {
      ...withCorners,
      alternatives: { readings: alternatives },
      printed,
      details: { ...details, model },
    });
    assert.deepEqual(runs[0]?.input.known, {
      digits: 8,
      decimals: 3,
      unit: 'kWh',
      previous: decimalOf('1205', 1),
      maxIncrease: decimalOf('10', 0),
    });
    assert.equal(runs[0]?.input.printed, true);
  });
  test('lets a stream wait for room in the queue', async () => {
    const { readMeter, runs } = handlers(reading);
    await readMeter({ image: jpeg }, { ...call, wait: 'queue' });
    assert.deepEqual(runs[0]?.options, { ...call, wait: 'queue' });
  });
  test('answers NO_READING where there is no counter', async () => {
    const { readMeter } = handlers(null);
    await assert.rejects(readMeter({ image: jpeg }, call), (error) => {
      assert.ok(error instanceof Refusal);
      assert.equal(error.reason, 'NO_READING');
      assert.deepEqual(error.details, { field: 'image' });
      return true;
    });
  });
  const refused: [string, Buffer, string][] = [
    ['no bytes', Buffer.alloc(0), 'EMPTY_IMAGE'],
    ['one byte too many', Buffer.concat([jpeg, Buffer.alloc(89)]), 'BODY_TOO_LARGE'],
    ['no picture', Buffer.from('%PDF-1.7 not a picture'), 'UNSUPPORTED_IMAGE_TYPE'],
  ];
  test('refuses what is said of the meter before a worker is asked', async () => {
    const { readMeter, runs } = handlers(reading);
    await assert.rejects(readMeter({ image: jpeg, expectedDigits: 2 }, call), {
      reason: 'INVALID_FIELD',
    });
    assert.equal(runs.length, 0);
  });
  for (const [name, image, reason] of refused) {
    test(`refuses ${name} before a worker is asked`, async () => {
      const { readMeter, runs } = handlers(reading);
      await assert.rejects(readMeter({ image }, call), { reason });
      assert.equal(runs.length, 0);
    });
  }
});
