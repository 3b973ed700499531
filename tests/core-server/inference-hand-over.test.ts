import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handOver } from '../../core-server/inference/hand-over.js';

const large = 2 ** 20;

test('a small picture is copied into the worker, a large one is handed over', () => {
  for (const [length, isHandedOver] of [
    [large - 1, false],
    [large, true],
  ] as const) {
    const bytes = new Uint8Array(length);
    const { image, transfer } = handOver(bytes);
    assert.equal(image, bytes);
    assert.deepEqual(transfer, isHandedOver ? [bytes.buffer] : []);
  }
});

test('what is a small part of a message goes in memory of its own', () => {
  for (const [length, isHandedOver] of [
    [100, false],
    [large, true],
  ] as const) {
    const message = new Uint8Array(3 * length).fill(7);
    const { image, transfer } = handOver(message.subarray(length, 2 * length));
    assert.deepEqual(image, new Uint8Array(length).fill(7));
    assert.equal(image.buffer.byteLength, length);
    assert.deepEqual(transfer, isHandedOver ? [image.buffer] : []);
  }
});
