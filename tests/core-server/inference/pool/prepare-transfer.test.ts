import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareTransfer } from '../../../../core-server/inference/pool/prepare-transfer.js';

const large = 2 ** 20;

test('a small picture is copied into the worker, a large one is transferred', () => {
  for (const [length, isTransferred] of [
    [large - 1, false],
    [large, true],
  ] as const) {
    const bytes = new Uint8Array(length);
    const { image, transfer } = prepareTransfer(bytes);
    assert.equal(image, bytes);
    assert.deepEqual(transfer, isTransferred ? [bytes.buffer] : []);
  }
});

test('what is a small part of a message goes in memory of its own', () => {
  for (const [length, isTransferred] of [
    [100, false],
    [large, true],
  ] as const) {
    const message = new Uint8Array(3 * length).fill(7);
    const { image, transfer } = prepareTransfer(message.subarray(length, 2 * length));
    assert.deepEqual(image, new Uint8Array(length).fill(7));
    assert.equal(image.buffer.byteLength, length);
    assert.deepEqual(transfer, isTransferred ? [image.buffer] : []);
  }
});
