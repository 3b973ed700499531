import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from '../../core-server/inference/job.js';
import type { JobWorker } from '../../core-server/inference/job-worker.js';
import { createWeights } from '../../core-server/inference/weights.js';

const worker = (): JobWorker => ({}) as JobWorker;
const job = (weight: number) => ({ weight }) as Job;

/** Which of the jobs that wait may go now. */
function allowed(weights: ReturnType<typeof createWeights>, waiting: readonly number[]): boolean[] {
  const mayGo = weights.inTurn();
  return waiting.map((weight) => mayGo({ weight }));
}

test('jobs go while they and those under way weigh 1 at most', () => {
  const weights = createWeights();
  const first = worker();
  assert.deepEqual(allowed(weights, [1]), [true]);
  weights.take(first, job(0.75));
  weights.take(worker(), job(0));
  assert.deepEqual(allowed(weights, [0.25]), [true]);
  assert.deepEqual(allowed(weights, [0.5]), [false]);
  weights.give(first);
  assert.deepEqual(allowed(weights, [1]), [true]);
});

test('behind a heavy job that must wait no light one goes, and one without a weight does', () => {
  const weights = createWeights();
  weights.take(worker(), job(0.5));
  assert.deepEqual(allowed(weights, [0.25, 0]), [true, true]);
  assert.deepEqual(allowed(weights, [0.75, 0.25, 0]), [false, false, true]);
});
