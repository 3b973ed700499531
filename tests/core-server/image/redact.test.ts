import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMulberry32 } from '../../../bench/measure/mulberry32.js';
import { redactionStyles, type Region, type RgbPicture } from '../../../core-server/image/picture.js';
import { redactRegion } from '../../../core-server/image/redact.js';

const size = { width: 90, height: 70 };
const region = { left: 11, top: 7, width: 64, height: 48 };

function noise(seed: number): RgbPicture {
  const random = createMulberry32(seed);
  return { ...size, data: Uint8Array.from({ length: size.width * size.height * 3 }, () => random() * 256) };
}

function redacted(picture: RgbPicture, style: (typeof redactionStyles)[number], where: Region = region): RgbPicture {
  const copy = { ...picture, data: picture.data.slice() };
  redactRegion(copy, where, style);
  return copy;
}

function* pixels({ data, width }: RgbPicture, { left, top, ...part }: Region): Generator<string> {
  for (let y = top; y < top + part.height; y++)
    for (let x = left; x < left + part.width; x++)
      yield data
        .subarray((y * width + x) * 3)
        .slice(0, 3)
        .join();
}

test('nothing outside of the region changes', () => {
  const picture = noise(1);
  for (const style of redactionStyles) {
    const { data } = redacted(picture, style);
    for (const [i, byte] of data.entries()) {
      const [x, y] = [Math.floor(i / 3) % size.width, Math.floor(i / 3 / size.width)];
      const isInside = x >= 11 && x < 75 && y >= 7 && y < 55;
      if (!isInside) assert.equal(byte, picture.data[i], `${style} ${x} ${y}`);
    }
  }
});

test('a box is black, and pixels are at most eight cells along the longer side', () => {
  const picture = noise(2);
  assert.deepEqual(new Set(pixels(redacted(picture, 'box'), region)), new Set(['0,0,0']));
  const colours = new Set(pixels(redacted(picture, 'pixelate'), region));
  assert.equal(colours.size, 8 * 6);
  const large = { left: 0, top: 0, ...size };
  assert.ok(new Set(pixels(redacted(picture, 'pixelate', large), large)).size <= 8 * 8);
});

test('a small region has fewer cells, of their mean colours', () => {
  const small = { left: 3, top: 3, width: 9, height: 8 };
  assert.equal(new Set(pixels(redacted(noise(3), 'pixelate', small), small)).size, 2 * 2);
  const tiny = { left: 3, top: 3, width: 3, height: 3 };
  const colours = [...pixels(noise(3), tiny)].map((colour) => colour.split(',').map(Number));
  const mean = [0, 1, 2].map((at) => Math.round(colours.reduce((sum, colour) => sum + (colour[at] ?? 0), 0) / 9));
  assert.deepEqual(new Set(pixels(redacted(noise(3), 'blur', tiny), tiny)), new Set([mean.join()]));
});

test('of what is blurred, nothing is left but the means of the cells', () => {
  const picture = noise(4);
  // Another picture with the same means: if anything else had an effect, the results would differ.
  const coarse = redacted(picture, 'pixelate');
  assert.notDeepEqual(coarse.data, picture.data);
  assert.deepEqual(redacted(coarse, 'blur').data, redacted(picture, 'blur').data);
  assert.deepEqual(redacted(coarse, 'pixelate').data, coarse.data);
});
