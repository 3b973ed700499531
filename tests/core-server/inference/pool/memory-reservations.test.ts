import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryReservations } from '../../../../core-server/inference/pool/memory-reservations.js';
import type { Job, Worker } from '../../../../core-server/inference/pool/worker.js';

const worker = (): Worker => ({}) as Worker;
const job = (weight = 0) => ({ weight }) as Job;

/** Which of the jobs that wait may go now. */
function allowed(memory: ReturnType<typeof createMemoryReservations>, waiting: readonly number[]): boolean[] {
  const mayGo = memory.inTurn();
  return waiting.map((weight) => mayGo({ weight }));
}

test('jobs go while they and those under way weigh 1 at most', () => {
  const memory = createMemoryReservations();
  const first = worker();
  assert.deepEqual(allowed(memory, [1]), [true]);
  memory.take(first, job(0.75));
  memory.take(worker(), job(0));
  assert.deepEqual(allowed(memory, [0.25]), [true]);
  assert.deepEqual(allowed(memory, [0.5]), [false]);
  memory.release(first);
  assert.deepEqual(allowed(memory, [1]), [true]);
});

test('behind a heavy job that must wait no light one goes, and one without a weight does', () => {
  const memory = createMemoryReservations();
  memory.take(worker(), job(0.5));
  assert.deepEqual(allowed(memory, [0.25, 0]), [true, true]);
  assert.deepEqual(allowed(memory, [0.75, 0.25, 0]), [false, false, true]);
});
