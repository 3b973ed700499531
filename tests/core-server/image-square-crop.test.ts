import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RgbPicture } from '../../core-server/image/picture.js';
import { cropSquare, type Square } from '../../core-server/image/square-crop.js';

/** 100 x 80 pixels: red grows to the right, green downwards, blue is full. */
const picture: RgbPicture = {
  data: Uint8Array.from({ length: 100 * 80 * 3 }, (_, i) => {
    const pixel = Math.floor(i / 3);
    return [2 * (pixel % 100), 3 * Math.floor(pixel / 100), 255][i % 3] ?? 0;
  }),
  width: 100,
  height: 80,
};

function crop(square: Square, size: number): (x: number, y: number) => number[] {
  const out = new Uint8Array(size * size * 3);
  cropSquare(picture, square, size, out);
  return (x, y) => [...out.subarray((y * size + x) * 3, (y * size + x) * 3 + 3)];
}

test('a square at its own size is the pixels themselves', () => {
  const at = crop({ x: 30, y: 40, side: 8 }, 8);
  // Between neighbours that differ by 2 and 3, two samples a quarter off either side.
  for (const [x, y] of [
    [0, 0],
    [7, 0],
    [3, 6],
  ] as const) {
    assert.deepEqual(at(x, y), [2 * (26 + x), 3 * (36 + y), 255]);
  }
});

test('a larger square is averaged, a smaller one enlarged', () => {
  const half = crop({ x: 50, y: 40, side: 16 }, 8);
  assert.deepEqual(half(0, 0), [85, 98, 255]); // pixels 42 and 43 across, 32 and 33 down
  const twice = crop({ x: 50, y: 40, side: 4 }, 8);
  assert.deepEqual(twice(0, 0), [96, 113, 255]); // a quarter of a pixel before 48 and 38
});

test('beyond the picture is black', () => {
  const at = crop({ x: 0, y: 0, side: 20 }, 10);
  assert.deepEqual(at(0, 0), [0, 0, 0]);
  assert.deepEqual(at(4, 7), [0, 0, 0]);
  assert.equal(at(7, 7)[2], 255);
});
