import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchProcessors } from '../../../runtime/process/watch-processors.js';

test('tells what others left since it was asked before, half a second ago or longer', () => {
  let [now, leftMs] = [0, 100];
  const left = watchProcessors({ now: () => now, leftMs: () => leftMs });
  assert.equal(left(), NaN);
  [now, leftMs] = [1_000, 1_600];
  assert.equal(left(), 1.5);
  [now, leftMs] = [1_400, 1_600];
  assert.equal(left(), 1.5);
  [now, leftMs] = [1_600, 1_750];
  assert.equal(left(), 0.25);
});

test('what this process uses is left to it', (t) => {
  let [now, microseconds] = [0, 0];
  t.mock.method(process, 'cpuUsage', () => ({ user: microseconds, system: microseconds }));
  const left = watchProcessors({ now: () => now });
  [now, microseconds] = [1_000, 25_000_000];
  // In the time of two calls, little is idle.
  assert.equal(Math.round(left() / 10), 5);
});

test('no more is left than there is', async () => {
  const left = watchProcessors();
  await sleep(600);
  // Each counts in ticks of 10 ms.
  assert.ok(left() > 0 && left() < cpus().length * 1.05, `${left()}`);
});
