import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../core-server/observe/metrics.js';

test('a lost worker is counted once, however often the metrics are read', async () => {
  const metrics = createMetrics('1.0.0');
  let lost = 0;
  metrics.watchPool(() => ({ queued: 0, running: 0, workers: 1, lost }));
  const read = async () =>
    /^imageanalysis_workers_lost_total (\d+)$/m.exec(await metrics.registry.metrics())?.[1];
  assert.equal(await read(), '0');
  lost = 2;
  assert.equal(await read(), '2');
  assert.equal(await read(), '2');
});
