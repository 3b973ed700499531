import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitWebAssemblyMemory } from '../../../runtime/node-patches/limit-web-assembly-memory.js';

test('memory grows up to the limit and no further', (t) => {
  const { prototype } = WebAssembly.Memory;
  const grow = Object.getOwnPropertyDescriptor(prototype, 'grow');
  assert.ok(grow);
  t.after(() => Object.defineProperty(prototype, 'grow', grow));
  limitWebAssemblyMemory(3 * 65_536);
  const memory = new WebAssembly.Memory({ initial: 1 });
  assert.throws(() => memory.grow(3), RangeError);
  assert.equal(memory.grow(2), 1);
  assert.throws(() => memory.grow(1), RangeError);
  assert.equal(memory.buffer.byteLength, 3 * 65_536);
});
