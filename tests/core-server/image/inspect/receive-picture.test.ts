import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receivePicture } from '../../../../core-server/image/inspect/receive-picture.js';

/** Bytes that begin like a GIF. */
const gif = (length: number): Uint8Array => new Uint8Array(Buffer.alloc(length, 'GIF89a'));

test('a picture that is most of its message stays in its memory', () => {
  const message = gif(2 ** 20);
  const bytes = message.subarray(60);
  const picture = receivePicture(bytes, { maxBytes: 2 ** 20 });
  assert.equal(picture.bytes, bytes);
  assert.equal(picture.type, 'gif');
});

test('what is a small part of a message goes in memory of its own', () => {
  for (const length of [102, 3 * 2 ** 20]) {
    const message = gif(3 * length);
    const { bytes } = receivePicture(message.subarray(length, 2 * length), { maxBytes: length });
    assert.deepEqual(bytes, gif(length));
    assert.equal(bytes.buffer.byteLength, length);
  }
});
