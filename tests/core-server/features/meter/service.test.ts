import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pino } from 'pino';
import { assembleReading } from '../../../../core-server/features/meter/assemble.js';
import { decimalOf } from '../../../../core-server/features/meter/decimal.js';
import { createMeterReadingHandlers } from '../../../../core-server/features/meter/service.js';
import type { MeterReading, ReadMeterInput } from '../../../../core-server/features/meter/task.js';
import { wholeOf } from '../../../../core-server/image/picture.js';
import { ReadingStatus, type ReadMeterRequest } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { box, sureCounter } from './fixtures.js';

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
  const quad = box(10, 20, 80, 20);
  const wheels = [...'00123456'].map((digit) => ({ digit, confidence: 0.9, quad, betweenPositions: false }));
  const copy = { width: 100, height: 50 };
  const facts = { picture: copy, copy, shown: wholeOf(copy), light: 'good', checkBelow: 0.8, known: {} } as const;
  const reading = {
    ...assembleReading({ ...sureCounter(quad, wheels), fractionWheels: 3 }, facts),
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
    const { readMeter, fuseMeterReadings } = createMeterReadingHandlers({
      pool: {
        run: (task, input, options) => {
          runs.push({ task, input: input as ReadMeterInput, options });
          const output = { reading: answer, evidence: input, best: 1, agrees: [false, true], timings: {} };
          return Promise.resolve(output as never);
        },
      },
      limits,
      checkBelow: 0.7,
      model,
    });
    return { readMeter, fuseMeterReadings, runs };
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
  test('has a worker read each photo once, and one fuse what those that can be read show', async () => {
    const { fuseMeterReadings, runs } = handlers(reading);
    const other = Buffer.concat([jpeg, Buffer.alloc(1)]);
    const answer = await fuseMeterReadings(
      { images: [Buffer.from('no picture'), jpeg, other, Buffer.from(jpeg)] },
      call,
    );
    assert.deepEqual(
      runs.map(({ task, options }) => [task, (options as { wait?: string }).wait]),
      [
        ['readMeter', 'refuse'],
        ['readMeter', 'queue'],
        ['fuseReadings', 'queue'],
      ],
    );
    const [first, second, fused] = runs.map(({ input }) => input);
    assert.deepEqual(fused, { photos: [first, second], checkBelow: 0.7, known: first?.known });
    assert.deepEqual([answer.bestPhoto, answer.photos.map(({ agrees }) => agrees)], [2, [false, false, true, false]]);
    assert.equal(answer.photos[0]?.refusal, 'UNSUPPORTED_IMAGE_TYPE');
  });
  test('answers NO_READING where there is no counter', async () => {
    const { readMeter } = handlers(null);
    await assert.rejects(readMeter({ image: jpeg }, call), {
      name: 'Refusal',
      reason: 'NO_READING',
      details: { field: 'image' },
    });
  });
  const refused: [string, ReadMeterRequest, string][] = [
    ['what is said of the meter', { image: jpeg, expectedDigits: 2 }, 'INVALID_FIELD'],
    ['one byte too many', { image: Buffer.concat([jpeg, Buffer.alloc(89)]) }, 'BODY_TOO_LARGE'],
  ];
  for (const [name, request, reason] of refused) {
    test(`refuses ${name} before a worker is asked`, async () => {
      const { readMeter, runs } = handlers(reading);
      await assert.rejects(readMeter(request, call), { reason });
      assert.equal(runs.length, 0);
    });
  }
});
