import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import { createMeterReader } from '../../../../core-server/features/meter/meter-reader.js';
import type { Size } from '../../../../core-server/image/picture.js';
import { imageFile } from '../../../helpers/pictures/image-file.js';
import { defaultLimits } from '../../image/fixtures.js';
import { seenCounter } from './fixtures.js';

/** The lower right quarter of a picture. */
const quarterOf = ({ width, height }: Size): Quad => [
  { x: width / 2, y: height / 2 },
  { x: width, y: height / 2 },
  { x: width, y: height },
  { x: width / 2, y: height },
];

test('a counter in a narrow picture is at the same place in every copy, however its sides are rounded', async () => {
  const release = () => Promise.resolve();
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
  const background = '#888';
  const image = await sharp({ create: { width: 437, height: 2622, channels: 3, background } })
    .png()
    .toBuffer();
  const input = {
    image: imageFile(image),
    limits: defaultLimits,
    checkBelow: 0.5,
    known: {},
    printed: true,
  };
  const { reading } = await reader.readMeter(input, new AbortController().signal);
  assert.deepEqual(
    copies.map(({ width, height }) => [width, height]),
    [
      [133, 800],
      [213, 1280],
    ],
  );
  const box = { xmin: 218.5, ymin: 1311, xmax: 437, ymax: 2622 };
  assert.deepEqual(reading?.boundingBox, box);
  assert.deepEqual(reading.digits[0]?.boundingBox, box);
});
