import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preparePicture } from '../../../../core-server/image/inspect/receive-picture.js';

const large = 2 ** 20;
const limits = { maxBytes: 8 * large };
/** Bytes that begin like a GIF. */
const gif = (length: number): Uint8Array => new Uint8Array(Buffer.alloc(length, 'GIF89a'));

test('a small picture is copied into the worker, a large one is transferred', () => {
  for (const [length, isTransferred] of [
    [large - 1, false],
    [large, true],
  ] as const) {
    const bytes = gif(length);
    const { image, transfer } = preparePicture(bytes, limits);
    assert.equal(image.bytes, bytes);
    assert.equal(image.type, 'gif');
    assert.deepEqual(transfer, isTransferred ? [bytes.buffer] : []);
  }
});

test('what is a small part of a message goes in memory of its own', () => {
  for (const [length, isTransferred] of [
    [102, false],
    [3 * large, true],
  ] as const) {
    const message = gif(3 * length);
    const { image, transfer } = preparePicture(message.subarray(length, 2 * length), {
      maxBytes: length,
    });
    assert.deepEqual(image.bytes, gif(length));
    assert.equal(image.bytes.buffer.byteLength, length);
    assert.deepEqual(transfer, isTransferred ? [image.bytes.buffer] : []);
  }
});
