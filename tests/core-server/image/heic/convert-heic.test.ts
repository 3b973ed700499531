import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { convertHeic } from '../../../../core-server/image/heic/convert-heic.js';
import { countThreads } from '../../../helpers/count-threads.js';

const root = new URL('../../../../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(`tests/core-server/image/heic/${name}.heic`, root));
const bytes = read('astronaut');
const limits = { maxBytes: bytes.length, maxPixels: 320 * 320, maxSide: 320 };
const convert = (file = bytes, changed: Partial<typeof limits> = {}, signal = new AbortController().signal) =>
  convertHeic({ bytes: file, type: 'heic' }, { ...limits, ...changed }, signal);

test('a HEIC becomes a JPEG of the same picture', async () => {
  const { type, bytes: jpeg } = await convert();
  assert.equal(type, 'jpeg');
  const { width, height, exif, icc } = await sharp(jpeg).metadata();
  assert.deepEqual({ width, height, exif, icc }, { width: 320, height: 320, exif: undefined, icc: undefined });
  const raw = (picture: Sharp) => picture.resize(320, 320).removeAlpha().raw().toBuffer();
  const [made, original] = await Promise.all([
    raw(sharp(jpeg)),
    raw(sharp(new URL('samples/astronaut.jpg', root).pathname)),
  ]);
  const difference = made.reduce((sum, value, i) => sum + Math.abs(value - (original[i] ?? 0)), 0) / made.length;
  assert.ok(difference < 6, `${difference.toFixed(1)} levels apart`);
});

test('of several pictures it is the primary one, white where it is transparent', async () => {
  // Green, then blue and transparent red.
  const { data, info } = await sharp((await convert(read('second-is-primary'))).bytes)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colourAt = (x: number) => [...data.subarray(x * 3, x * 3 + 3)].map((value) => Math.round(value / 100));
  assert.deepEqual(
    [colourAt(8), colourAt(info.width - 8)],
    [
      [0, 0, 2],
      [3, 3, 3],
    ],
  );
});

test('one with too many pixels is IMAGE_TOO_MANY_PIXELS before they are decoded', async () => {
  await assert.rejects(convert(bytes, { maxPixels: 320 * 320 - 1 }), {
    name: 'Refusal',
    reason: 'IMAGE_TOO_MANY_PIXELS',
  });
  await assert.rejects(convert(bytes, { maxSide: 319 }), { name: 'Refusal', reason: 'IMAGE_TOO_MANY_PIXELS' });
});

test('half a HEIC is CORRUPT_IMAGE, as are bytes that only begin like one', async () => {
  await assert.rejects(convert(bytes.subarray(0, bytes.length / 2)), { name: 'Refusal', reason: 'CORRUPT_IMAGE' });
  await assert.rejects(convert(bytes.subarray(0, 24)), { name: 'Refusal', reason: 'CORRUPT_IMAGE' });
});

test('a caller who goes ends the thread', async (t) => {
  const threads = countThreads(t);
  const caller = new AbortController();
  const converted = convert(bytes, {}, caller.signal);
  caller.abort(new Error('gone'));
  await assert.rejects(converted, /gone/);
  assert.deepEqual(threads, { living: 0, most: 1, begun: 1 });
});
