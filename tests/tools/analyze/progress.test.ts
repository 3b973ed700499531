import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from '../../../tools/analyze/progress.js';

test('the progress line', () => {
  const progress = { total: 200, skipped: 50, answered: 45, failed: 5, elapsedMs: 10_000 };
  for (const [changes, line] of [
    [{}, '[############------------] 50% 100/200, 5.0/s, 50 done before, 5 failed, 0:20 left'],
    [{ total: 50_000 }, '[------------------------] 0% 100/50000, 5.0/s, 50 done before, 5 failed, 2:46:20 left'],
    [{ total: 18_100 }, '[------------------------] 0% 100/18100, 5.0/s, 50 done before, 5 failed, 1:00:00 left'],
    [{ total: 100, skipped: 0, answered: 100, failed: 0 }, '[########################] 100% 100/100, 10.0/s'],
  ] as const)
    assert.equal(progressLine({ ...progress, ...changes }), line);
});
