import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteCollector } from '../../../../rest-facade/request/body/byte-collector.js';

const kib = 1024;

test('a collector joins chunks, with and without a promised length', () => {
  for (const expectedBytes of [undefined, 0, 10, 300 * kib, 10_000 * kib]) {
    const collector = createByteCollector(400 * kib, expectedBytes);
    const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(kib, index));
    const buffers = new Set<ArrayBufferLike>();
    for (const chunk of chunks) {
      collector.push(chunk);
      buffers.add(collector.bytes().buffer);
    }
    assert.deepEqual(collector.bytes(), Buffer.concat(chunks));
    // A few: else what has come would be copied again for each chunk.
    assert.ok(buffers.size <= 10, `${buffers.size} buffers`);
    // Those that it outgrew are freed.
    const bytes = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    assert.ok(bytes <= 600 * kib, `${bytes} bytes`);
  }
});

test('a length that is only announced takes little, and one that is sent no more than it says', () => {
  const collector = createByteCollector(4_000 * kib, 3_000 * kib);
  collector.push(Buffer.alloc(kib));
  assert.ok(collector.bytes().buffer.byteLength <= 64 * kib);
  for (let chunk = 1; chunk < 3_000; chunk += 1) collector.push(Buffer.alloc(kib));
  assert.equal(collector.bytes().buffer.byteLength, 3_000 * kib);
});
