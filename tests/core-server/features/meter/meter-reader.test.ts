import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { Stopwatch } from '../../../../core-server/common/stopwatch.js';
import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import { createMeterReader } from '../../../../core-server/features/meter/meter-reader.js';
import type { Size } from '../../../../core-server/image/picture.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { defaultLimits } from '../../image/fixtures.js';
import { box, seenCounter } from './fixtures.js';

const release = () => Promise.resolve();
const nothing = {
  maxSide: 800,
  read: async (_picture: unknown, _known: unknown, time: Stopwatch['time']) => {
    await time('locate', () => undefined);
    return null;
  },
  release,
} as const;
const grey = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
const noPrint = { maxSide: 1280, read: () => assert.fail('there is no counter'), release };
const inputOf = (image: Buffer) => ({
  image: imageFile(image),
  limits: defaultLimits,
  checkBelow: 0.5,
  known: {},
  printed: true,
});

test('the time of every step of the meter reader is told', async () => {
  // Each look at the clock takes a millisecond.
  let clock = 0;
  const reader = createMeterReader(nothing, noPrint, () => (clock += 1));
  const { timings } = await reader.readMeter(inputOf(await grey(40, 30)), new AbortController().signal);
  assert.deepEqual(timings, { open: 1, decode: 1, counter: 3, locate: 1 });
});

test('a picture of a caller who is gone is not even opened, and one over the limits not decoded', async () => {
  const reader = createMeterReader({ ...nothing, read: () => assert.fail('it was decoded') }, noPrint);
  const reading = reader.readMeter(inputOf(Buffer.from('no picture')), AbortSignal.abort());
  await assert.rejects(reading, { name: 'AbortError' });
  const large = { ...inputOf(await grey(40, 30)), limits: { ...defaultLimits, maxPixels: 40 * 30 - 1 } };
  const tooLarge = reader.readMeter(large, new AbortController().signal);
  await assert.rejects(tooLarge, { reason: 'IMAGE_TOO_MANY_PIXELS' });
});

test('a unit that is printed on the meter is returned, otherwise the one that the caller expects', async () => {
  const quad = box(4, 4, 32, 10);
  const seven = { ...nothing, read: () => Promise.resolve(seenCounter(quad)) };
  const image = await grey(40, 30);
  const unitOf = async (unit: string) => {
    const print = { maxSide: 1280, read: () => Promise.resolve({ serialNumber: '', unit }), release };
    const input = { ...inputOf(image), known: { unit: 'GJ' } };
    const output = await createMeterReader(seven, print).readMeter(input, new AbortController().signal);
    return output.reading?.unit;
  };
  assert.equal(await unitOf('kWh'), 'kWh');
  assert.equal(await unitOf(''), 'GJ');
});

test('print is read only where it is asked for, and both readers are released', async () => {
  const released: string[] = [];
  const releasing = (name: string) => ({ release: () => Promise.resolve(void released.push(name)) });
  const counters = {
    ...nothing,
    read: () => Promise.resolve(seenCounter(box(4, 4, 32, 10))),
    ...releasing('counters'),
  };
  const print = { ...noPrint, read: () => assert.fail('nobody asked for it'), ...releasing('print') };
  const reader = createMeterReader(counters, print);
  const input = { ...inputOf(await grey(40, 30)), printed: false };
  const { reading } = await reader.readMeter(input, new AbortController().signal);
  assert.equal(reading?.printed, undefined);
  await reader.release();
  assert.deepEqual(released, ['counters', 'print']);
});

/** The lower right quarter of a picture. */
const quarterOf = ({ width, height }: Size): Quad => [
  { x: width / 2, y: height / 2 },
  { x: width, y: height / 2 },
  { x: width, y: height },
  { x: width / 2, y: height },
];

test('a counter is at the same place in every copy, however its sides are rounded, and none is larger', async () => {
  const copies: Size[] = [];
  const reader = createMeterReader(
    {
      maxSide: 800,
      read(copy) {
        copies.push(copy);
        return Promise.resolve(seenCounter(quarterOf(copy)));
      },
      release,
    },
    {
      maxSide: 1280,
      read(copy, counter) {
        copies.push(copy);
        assert.deepEqual(counter, quarterOf(copy));
        return Promise.resolve({ serialNumber: '', unit: '' });
      },
      release,
    },
  );
  const { signal } = new AbortController();
  const { reading } = await reader.readMeter(inputOf(await grey(437, 2622)), signal);
  await reader.readMeter(inputOf(await grey(40, 30)), signal);
  assert.deepEqual(
    copies.map(({ width, height }) => [width, height]),
    [
      [133, 800],
      [213, 1280],
      [40, 30],
      [40, 30],
    ],
  );
  const box = { xmin: 218.5, ymin: 1311, xmax: 437, ymax: 2622 };
  assert.deepEqual(reading?.boundingBox, box);
  assert.deepEqual(reading.digits[0]?.boundingBox, box);
});
