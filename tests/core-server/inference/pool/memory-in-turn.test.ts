import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryInTurn } from '../../../../core-server/inference/pool/memory-in-turn.js';

/** Which of the jobs that wait may go now, by the weights of those in the workers. */
function allowed(working: readonly number[], waiting: readonly number[]): boolean[] {
  const mayGo = memoryInTurn(working.map((weight) => ({ weight })));
  return waiting.map((weight) => mayGo({ weight }));
}

test('jobs go while they and those under way weigh 1 at most', () => {
  assert.deepEqual(allowed([], [1]), [true]);
  assert.deepEqual(allowed([0.75, 0], [0.25]), [true]);
  assert.deepEqual(allowed([0.75, 0], [0.5]), [false]);
  assert.deepEqual(allowed([0], [1]), [true]);
  for (let parts = 1; parts <= 64; parts += 1)
    assert.deepEqual(allowed(Array<number>(parts - 1).fill(1 / parts), [1 / parts]), [true], `${parts} parts`);
});

test('behind a heavy job that must wait no light one goes, and one without a weight does', () => {
  assert.deepEqual(allowed([0.5], [0.25, 0]), [true, true]);
  assert.deepEqual(allowed([0.5], [0.75, 0.25, 0]), [false, false, true]);
});
