import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../core-server/compose/metrics.js';
import { observePool } from '../../../core-server/compose/observe-pool.js';
import type { ReadMeterOutput } from '../../../core-server/features/meter/task.js';
import { noTracing } from '../../../runtime/observe/tracing.js';

test('a lost worker is counted once, however often the metrics are read', async () => {
  const metrics = createMetrics();
  let lost = 0;
  metrics.watchPool(() => ({ queued: 0, running: 0, workers: 1, lost }));
  const read = async () => /^imageanalysis_workers_lost_total (\d+)$/m.exec(await metrics.registry.metrics())?.[1];
  assert.equal(await read(), '0');
  lost = 2;
  assert.equal(await read(), '2');
  assert.equal(await read(), '2');
});

test('the times of the meter reader go by the names of its models', async () => {
  const metrics = createMetrics();
  const output: ReadMeterOutput = { reading: null, timings: { open: 1, locate: 2000, read: 3000 } };
  const pool = { run: () => Promise.resolve(output as never) };
  const meter = {
    locate: { name: 'finder' },
    refine: { name: 'corners' },
    read: { name: 'ctc-2' },
    mark: { name: 'marks' },
  };
  const { run } = observePool({
    pool,
    metrics,
    tracing: noTracing,
    models: { face: { entry: { name: 'faces' } }, meter },
  });
  await run('readMeter', {} as never, { signal: new AbortController().signal });
  const text = await metrics.registry.metrics();
  const sums = text.matchAll(/^imageanalysis_inference_seconds_sum\{model="(.+)"\} (\d+)$/gm);
  assert.deepEqual(
    [...sums].map(([, model, seconds]) => [model, seconds]),
    [
      ['finder', '2'],
      ['ctc-2', '3'],
    ],
  );
});
