import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeWeight } from '../../core-server/image/decode-weight.js';
import { quarters } from './image-fixtures.js';

const limits = { maxPixels: 100_000 };

test('an AVIF weighs what it has of the largest picture, whatever else names a size', async () => {
  const avif = await quarters(200, 125).avif({ effort: 0 }).toBuffer();
  assert.equal(decodeWeight(avif, 'avif', limits), 0.25);
  assert.equal(decodeWeight(avif, 'avif', { maxPixels: 1_000 }), 1);
  const box = (width: number, height: number): Buffer => {
    const bytes = Buffer.from('ispe____wwwwhhhh');
    bytes.writeUInt32BE(width, 8);
    bytes.writeUInt32BE(height, 12);
    return bytes;
  };
  assert.equal(decodeWeight(Buffer.concat([box(1, 1), avif]), 'avif', limits), 0.25);
  assert.equal(decodeWeight(Buffer.concat([avif, box(2 ** 32 - 1, 9)]), 'avif', limits), 1);
  assert.equal(decodeWeight(Buffer.concat([avif, Buffer.from('ispe')]), 'avif', limits), 0.25);
});

test('an AVIF that states more sizes than a picture has weighs as much as the largest', () => {
  const box = 'ispe' + '\0'.repeat(12);
  const file = (sizes: number): Buffer => Buffer.from('....ftypavif' + box.repeat(sizes));
  assert.equal(decodeWeight(file(64), 'avif', limits), 0);
  assert.equal(decodeWeight(file(65), 'avif', limits), 1);
});

test('an AVIF that states no size weighs as much as the largest, all other types nothing', () => {
  assert.equal(decodeWeight(Buffer.from('....ftypavif'), 'avif', limits), 1);
  for (const type of ['jpeg', 'png', 'webp', 'gif', 'tiff'] as const)
    assert.equal(decodeWeight(Buffer.alloc(100), type, limits), 0, type);
});
