import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressLine } from '../../../tools/analyze/progress.js';

test('the progress line', () => {
  const progress = { total: 200, skipped: 50, answered: 45, failed: 5, elapsedMs: 10_000 };
  assert.equal(
    progressLine(progress),
    '[############------------] 50% 100/200, 5.0/s, 50 done before, 5 failed, 0:20 left',
  );
});
