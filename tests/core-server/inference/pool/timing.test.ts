import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  restartDelayMs,
  retryAfterSeconds,
} from '../../../../core-server/inference/pool/timing.js';

test('the time to retry after is the time the queue needs, 1 to 60 seconds', () => {
  const table: [queued: number, workers: number, meanJobMs: number, seconds: number][] = [
    [0, 2, 100, 1],
    [64, 2, 50, 2],
    [64, 1, 100, 7],
    [10_000, 1, 1000, 60],
  ];
  for (const [queued, workers, meanJobMs, seconds] of table) {
    assert.equal(retryAfterSeconds({ queued, workers, meanJobMs }), seconds);
  }
});

test('a worker that served is restarted at once, one that cannot start ever later', () => {
  const delays = [0, 1, 2, 3, 9, 10, 1000].map(restartDelayMs);
  assert.deepEqual(delays, [0, 100, 200, 400, 25_600, 30_000, 30_000]);
});
