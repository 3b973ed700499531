import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeBuffer } from '../../../runtime/node-patches/free-buffer.js';

test('large bytes are freed at once, with all that are views of the same', () => {
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 10; i += 1) {
    const bytes = Buffer.alloc(1_000_000);
    const view = bytes.subarray(10);
    freeBuffer(view);
    assert.deepEqual([bytes.length, view.length], [0, 0]);
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 2_000_000);
});

test('small bytes stay, which may share their memory with others', () => {
  const bytes = Buffer.from('shared');
  freeBuffer(bytes);
  assert.equal(bytes.toString(), 'shared');
  const own = new Uint8Array(1_000);
  freeBuffer(own);
  assert.equal(own.length, 1_000);
});
