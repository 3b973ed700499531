import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  validateGetDetectionScore,
  validateSetDetectionScore,
} from '../../../../core-server/features/score-config/validate.js';

const request = { company: 'acme', password: 'secret-password', detectionScore: 0.5 };

describe('score requests', () => {
  it('is taken when complete', () => {
    const credentials = { company: 'acme', password: 'secret-password' };
    assert.deepEqual(validateGetDetectionScore(credentials), credentials);
    assert.deepEqual(validateSetDetectionScore(request), { ...credentials, score: 0.5 });
    assert.equal(validateSetDetectionScore({ ...request, detectionScore: 0 }).score, 0);
  });

  const missing = [
    [{ company: '' }, 'company', 'the name of a registered company'],
    [{ password: '' }, 'password', 'the password of the company'],
    [{ detectionScore: undefined }, 'detection_score', 'a number from 0 to 1 with at most 6 decimals'],
  ] as const;
  for (const [parts, field, wish] of missing) {
    it(`is refused without ${field}`, () => {
      assert.throws(() => validateSetDetectionScore({ ...request, ...parts }), {
        reason: 'MISSING_FIELD',
        message: `${field} is missing, want ${wish}`,
        details: { field },
      });
    });
  }
});
