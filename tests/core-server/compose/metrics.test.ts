import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../core-server/compose/metrics.js';
import { observePool } from '../../../core-server/compose/observe-pool.js';
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

/** The metrics after these photos of meters. */
async function textAfter(...readings: ({ status: string; confidence: number } | null)[]): Promise<string> {
  const metrics = createMetrics();
  const outputs = readings.map((reading) => ({ reading, timings: { open: 1, locate: 2000, read: 3000 } }));
  const meter = {
    locate: { name: 'finder' },
    refine: { name: 'corners' },
    read: { name: 'ctc-2' },
    mark: { name: 'marks' },
  };
  const { run } = observePool({
    pool: { run: () => Promise.resolve(outputs.shift() as never) },
    metrics,
    tracing: noTracing,
    models: { face: { entry: { name: 'faces' } }, meter },
  });
  while (outputs.length > 0) await run('readMeter', {} as never, { signal: new AbortController().signal });
  return metrics.registry.metrics();
}

test('the times of the meter reader go by the names of its models', async () => {
  const text = await textAfter(null);
  const sums = text.matchAll(/^imageanalysis_inference_seconds_sum\{model="(.+)"\} (\d+)$/gm);
  assert.deepEqual(
    [...sums].map(([, model, seconds]) => [model, seconds]),
    [
      ['finder', '2'],
      ['ctc-2', '3'],
    ],
  );
});

test('photos of meters are counted by status, those without a reading too', async () => {
  const check = { status: 'CHECK', confidence: 0.5 };
  const text = await textAfter({ status: 'OK', confidence: 1 }, check, check, null);
  const counts = text.matchAll(/^imageanalysis_meter_readings_total\{status="(.+)"\} (\d+)$/gm);
  assert.deepEqual(Object.fromEntries([...counts].map(([, status, count]) => [status, count])), {
    ok: '1',
    check: '2',
    none: '1',
  });
  assert.match(text, /^imageanalysis_meter_confidence_count 3$/m);
});
