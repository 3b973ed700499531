import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateScore } from '../../../core-server/common/validate.js';

describe('score validation', () => {
  for (const score of [0, 1, 0.5, 0.92, 0.1, 0.7, 0.000001, 0.999999, 0.123456, 1e-6]) {
    it(`takes ${score} as it is`, () => {
      assert.equal(validateScore('detection_score', score), score);
    });
  }

  it('takes -0, which a number may be by any protocol, as 0', () => {
    assert.ok(Object.is(validateScore('detection_score', -0), 0));
  });

  const refused: [number, string][] = [
    [1.000001, '1.000001'],
    [-0.000001, '-0.000001'],
    [1.5, '1.5'],
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
  for (const [score, shown] of refused) {
    it(`refuses ${shown}`, () => {
      assert.throws(() => validateScore('min_score', score), {
        reason: 'INVALID_SCORE',
        message: `min_score is "${shown}", want a number from 0 to 1 with at most 6 decimals`,
        details: { field: 'min_score', value: shown },
      });
    });
  }

  it('takes every score of 6 decimals', () => {
    for (let millionths = 0; millionths <= 1_000_000; millionths += 7) {
      validateScore('detection_score', Number(`${millionths}e-6`));
      validateScore('detection_score', millionths / 1e6);
    }
  });
});
