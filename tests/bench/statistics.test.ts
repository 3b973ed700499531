import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, quantile } from '../../bench/measure/statistics.js';

test('a quantile is a value that was measured, the median of two is between them', () => {
  const values = [10, 9, 1, 2];
  assert.deepEqual(
    [0, 0.25, 0.26, 0.5, 0.99, 1].map((q) => quantile(values, q)),
    [1, 1, 2, 2, 10, 10],
  );
  assert.deepEqual([median(values), median([10, 9, 1]), median([])], [5.5, 9, NaN]);
});
