import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tintGrey } from '../../../../core-server/features/face/tint-grey.js';

const size = { width: 20, height: 10 };

/** A picture of one colour, but for its first pixels. */
function paint(colour: readonly number[], first: readonly number[] = colour, count = 0) {
  const pixels = Array.from({ length: size.width * size.height }, (_, i) => (i < count ? first : colour));
  return { ...size, data: Uint8Array.from(pixels.flat()) };
}

test('a grey picture is tinted, most of all in the middle, and left as it was', () => {
  const grey = paint([128, 128, 128], [255, 255, 255], 1);
  const { data, ...sides } = tintGrey(grey);
  assert.deepEqual(sides, size);
  assert.deepEqual([...data.subarray(0, 6)], [255, 255, 255, 148, 125, 110]);
  assert.equal(grey.data[3], 128);
});

test('a little noise and a caption in colours leave a picture grey', () => {
  for (const grey of [paint([120, 126, 132]), paint([90, 90, 90], [255, 255, 0], 2)])
    assert.notEqual(tintGrey(grey), grey);
});

test('a picture with colours is returned itself', () => {
  for (const coloured of [paint([120, 128, 133]), paint([90, 90, 90], [255, 255, 0], 3)])
    assert.equal(tintGrey(coloured), coloured);
});
