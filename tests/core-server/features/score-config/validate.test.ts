import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveThreshold } from '../../../../core-server/features/score-config/resolve-threshold.js';
import {
  validateGetDetectionScore,
  validateSetDetectionScore,
} from '../../../../core-server/features/score-config/validate.js';
import { ThresholdSource } from '../../../../generated/imageanalysis/v1/face_detection.js';

const request = { company: 'acme', password: 'secret-password', detectionScore: 0.5 };

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
