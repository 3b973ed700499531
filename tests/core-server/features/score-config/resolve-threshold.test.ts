import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThresholdResolver } from '../../../../core-server/features/score-config/service.js';
import { ThresholdSource } from '../../../../generated/imageanalysis/v1/face_detection.js';
import type { Refusal } from '../../../../runtime/errors/refusal.js';

/** Of a service whose default is 0.7 and which has one company. */
function createResolver(score?: number) {
  const findScore = (company: string) => Promise.resolve(company === 'acme' ? { score } : undefined);
  return createThresholdResolver({ findScore }, 0.7);
}

describe('threshold of a detection', () => {
  const { REQUEST, COMPANY, DEFAULT } = ThresholdSource;
  const table = [
    [{ minScore: 0.9, company: 'acme' }, 0.8, 0.9, REQUEST],
    [{ minScore: 0, company: 'acme' }, 0.8, 0, REQUEST],
    [{ minScore: 0.9, company: '' }, undefined, 0.9, REQUEST],
    [{ company: 'acme' }, 0.8, 0.8, COMPANY],
    [{ company: 'acme' }, 0, 0, COMPANY],
    [{ company: 'acme' }, undefined, 0.7, DEFAULT],
    [{ company: '' }, 0.8, 0.7, DEFAULT],
  ] as const;
  for (const [wish, score, value, source] of table)
    it(`is ${value} (${source}) of ${JSON.stringify(wish)} and ${score}`, async () => {
      assert.deepEqual(await createResolver(score)(wish), { value, source });
    });

  it('is not had for a company that is not registered', async () => {
    const resolve = createResolver(0.8);
    for (const wish of [{ company: 'amce' }, { company: 'amce', minScore: 0.5 }])
      await assert.rejects(resolve(wish), {
        reason: 'UNKNOWN_COMPANY',
        message: 'company is "amce", want the name of a registered company',
        details: { field: 'company', value: 'amce' },
      });
    await assert.rejects(resolve({ company: 'x'.repeat(1_000_000) }), (error: Refusal) => {
      assert.equal(error.details.value, `${'x'.repeat(128)}…`);
      return true;
    });
  });
});
