import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodePicture } from '../../../core-server/image/encode.js';

test('PNG is compressed by a low level, whose time no pixels can multiply', async () => {
  const file = Buffer.from(await encodePicture({ data: new Uint8Array(3 * 64), width: 8, height: 8 }, 'png'));
  // Of the first two bytes of a zlib stream, RFC 1950: 0 fastest, 1 fast, 2 default, 3 slowest.
  const [, flags = 255] = file.subarray(file.indexOf('IDAT') + 4);
  assert.equal(flags >> 6, 1);
});
