import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveThreshold } from '../../core-server/score-config/resolve-threshold.js';
import {
  validateGetDetectionScore,
  validateScore,
  validateSetDetectionScore,
} from '../../core-server/score-config/validate.js';
import { ThresholdSource } from '../../generated/imageanalysis/v1/face_detection.js';

const request = { company: 'acme', password: 'secret-password', detectionScore: 0.5 };

describe('score validation', () => {
  for (const score of [0, 1, 0.5, 0.92, 0.1, 0.7, 0.000001, 0.999999, 0.123456, 1e-6]) {
    it(`should take ${score} as it is`, () => {
      assert.equal(validateScore('detection_score', score), score);
    });
  }

  const refused: [number, string][] = [
    [1.000001, '1.000001'],
    [-0.000001, '-0.000001'],
    [1.5, '1.5'],
    [-0, '-0'],
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
    it(`should refuse ${shown}`, () => {
      assert.throws(() => validateScore('min_score', score), {
        reason: 'INVALID_SCORE',
        message: `min_score is "${shown}", want a number from 0 to 1 with at most 6 decimals`,
        details: { field: 'min_score', value: shown },
      });
    });
  }

  it('should take every score of 6 decimals', () => {
    for (let millionths = 0; millionths <= 1_000_000; millionths += 7) {
      validateScore('detection_score', Number(`${millionths}e-6`));
      validateScore('detection_score', millionths / 1e6);
    }
  });
});

describe('score requests', () => {
  it('should be taken when complete', () => {
    const credentials = { company: 'acme', password: 'secret-password' };
    assert.deepEqual(validateGetDetectionScore(credentials), credentials);
    assert.deepEqual(validateSetDetectionScore(request), { ...credentials, score: 0.5 });
    assert.equal(validateSetDetectionScore({ ...request, detectionScore: 0 }).score, 0);
  });

  const missing = [
    [{ company: '' }, 'company', 'the name of a registered company'],
    [{ password: '' }, 'password', 'the password of the company'],
    [
      { detectionScore: undefined },
      'detection_score',
      'a number from 0 to 1 with at most 6 decimals',
    ],
  ] as const;
  for (const [parts, field, wish] of missing) {
    it(`should be refused without ${field}`, () => {
      assert.throws(() => validateSetDetectionScore({ ...request, ...parts }), {
        reason: 'MISSING_FIELD',
        message: `${field} is missing, want ${wish}`,
        details: { field },
      });
    });
  }
});

describe('threshold', () => {
  const { REQUEST, COMPANY, DEFAULT } = ThresholdSource;
  const table = [
    [{ request: 0.9, company: 0.8, default: 0.7 }, 0.9, REQUEST],
    [{ request: 0, company: 0.8, default: 0.7 }, 0, REQUEST],
    [{ request: 0.9, company: undefined, default: 0.7 }, 0.9, REQUEST],
    [{ request: undefined, company: 0.8, default: 0.7 }, 0.8, COMPANY],
    [{ request: undefined, company: 0, default: 0.7 }, 0, COMPANY],
    [{ request: undefined, company: undefined, default: 0.7 }, 0.7, DEFAULT],
    [{ default: 0 }, 0, DEFAULT],
  ] as const;
  for (const [candidates, value, source] of table) {
    it(`should be ${value} (${source}) of ${JSON.stringify(candidates)}`, () => {
      assert.deepEqual(resolveThreshold(candidates), { value, source });
    });
  }
});
