import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUpright } from '../../../../../core-server/image/decode/decode.js';
import { inspectPicture } from '../../../../../core-server/image/inspect/inspect-picture.js';
import { composeTiff } from '../../../../helpers/pictures/tiff.js';
import { defaultLimits } from '../../fixtures.js';

/** In each row 150 bytes as they are, two packets, and a repeated one 50 times. */
const width = 200;
const rowOf = (y: number) =>
  Buffer.from(Array.from({ length: width }, (_, x) => (x < 150 ? (x * 7 + y * 13) % 256 : y)));
const literal = (bytes: Buffer) => Buffer.concat([Buffer.from([bytes.length - 1]), bytes]);
const packAlone = (row: Buffer, y: number) =>
  // 128 is no packet.
  Buffer.concat([
    literal(row.subarray(0, 128)),
    Buffer.from([128]),
    literal(row.subarray(128, 150)),
    Buffer.from([257 - 50, y]),
  ]);
const packWhole = (rows: Buffer) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(rows.length / 128) }, (_, i) => literal(rows.subarray(128 * i, 128 * i + 128))),
  );

test('PackBits is read where each row is packed alone, or few rows as a whole; more would be shown wrong and are refused', async () => {
  for (const height of [128, 129, 300]) {
    const rows = Array.from({ length: height }, (_, y) => rowOf(y));
    const compose = (strip: Buffer) => composeTiff(strip, { width, height, compression: 32_773 });
    const alone = compose(Buffer.concat([...rows.map(packAlone), Buffer.from([0, 0])]));
    const whole = compose(packWhole(Buffer.concat(rows)));
    for (const bytes of height > 128 ? [alone] : [alone, whole]) {
      assert.ok(inspectPicture({ bytes, type: 'tiff' }, defaultLimits) > 0);
      const size = { width, height };
      const picture = await decodeUpright({ bytes, type: 'tiff', size, usesProfile: false }, size);
      const grey = picture.data.filter((_, i) => i % 3 === 0);
      assert.deepEqual(Buffer.from(grey), Buffer.concat(rows));
    }
    if (height > 128)
      assert.throws(() => inspectPicture({ bytes: whole, type: 'tiff' }, defaultLimits), {
        reason: 'UNSUPPORTED_IMAGE_TYPE',
        message: /is a TIFF of PackBits that goes on from row to row/,
      });
  }
});
