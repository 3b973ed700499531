import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateScore } from '../../../core-server/common/validate.js';

test('a score of up to 6 decimals from 0 to 1 is taken as it is, and -0, which a number may be by any protocol, as 0', () => {
  for (let millionths = 0; millionths <= 1_000_000; millionths += 7)
    for (const score of [Number(`${millionths}e-6`), millionths / 1e6])
      assert.equal(validateScore('detection_score', score), score);
  for (const score of [0, 1, 0.5, 0.92, 0.1, 0.7, 0.000001, 0.999999])
    assert.equal(validateScore('detection_score', score), score);
  assert.ok(Object.is(validateScore('detection_score', -0), 0));
});

test('any other score is refused as what it is', () => {
  const refused: [number, string][] = [
    [1.000001, '1.000001'],
    [-0.000001, '-0.000001'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
    [1e21, '1e+21'],
    [0.1234567, '0.1234567'],
    [0.0000001, '1e-7'],
    [0.1 + 0.2, '0.30000000000000004'],
    [Number.MIN_VALUE, '5e-324'],
    [1 - Number.EPSILON / 2, '0.9999999999999999'],
    [1 + Number.EPSILON, '1.0000000000000002'],
    // 0.92 that went through a 32-bit float.
    [Math.fround(0.92), '0.9200000166893005'],
  ];
  for (const [score, shown] of refused)
    assert.throws(() => validateScore('min_score', score), {
      reason: 'INVALID_SCORE',
      message: `min_score is "${shown}", want a number from 0 to 1 with at most 6 decimals`,
      details: { field: 'min_score', value: shown },
    });
});
