import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompanyStore } from '../../../../core-server/access/companies/knex-company-store.js';
import { createScoreConfigHandlers } from '../../../../core-server/features/score-config/service.js';
import { refuse } from '../../../../runtime/errors/refusal.js';

const password = 'right-password';
const call = { keyId: 'key', clientAddress: '192.0.2.1', signal: new AbortController().signal };

describe('score configuration', () => {
  it('shows the default score of a company that was never configured', async () => {
    const { handlers } = setUp();
    assert.deepEqual(await handlers.getDetectionScore({ company: 'acme', password }, call), {
      company: 'acme',
      detectionScore: 0.42,
    });
  });

  const missing = [
    [{ company: '' }, 'company', 'the name of a registered company'],
    [{ password: '' }, 'password', 'the password of the company'],
    [{ detectionScore: undefined }, 'detection_score', 'a number from 0 to 1 with at most 6 decimals'],
  ] as const;
  for (const [parts, field, wish] of missing)
    it(`refuses a request without ${field}, before the password is checked`, async () => {
      const { handlers, asked } = setUp();
      const request = { company: 'acme', password, detectionScore: 0.5, ...parts };
      await assert.rejects(handlers.setDetectionScore(request, call), {
        reason: 'MISSING_FIELD',
        message: `${field} is missing, want ${wish}`,
        details: { field },
      });
      assert.deepEqual(asked, []);
    });

  it('shows the score that was set, zero too', async () => {
    const { handlers } = setUp();
    for (const detectionScore of [0.92, 0, 1]) {
      const answer = { company: 'acme', detectionScore };
      assert.deepEqual(await handlers.setDetectionScore({ company: 'acme', password, detectionScore }, call), answer);
      assert.deepEqual(await handlers.getDetectionScore({ company: 'acme', password }, call), answer);
    }
  });

  it('hands over who asks, and neither reads nor writes before the password is checked', async () => {
    const { handlers, rows, asked, touched } = setUp();
    const wrong = { company: 'acme', password: 'wrong' };
    await assert.rejects(handlers.getDetectionScore(wrong, call), authFailed);
    await assert.rejects(handlers.setDetectionScore({ ...wrong, detectionScore: 0.9 }, call), authFailed);
    assert.deepEqual(asked, [
      { ...wrong, ...call },
      { ...wrong, ...call },
    ]);
    assert.equal(rows.get('acme'), undefined);
    assert.equal(touched.length, 0);
  });

  it('keeps the stored score when a new one is refused', async () => {
    const { handlers } = setUp();
    await handlers.setDetectionScore({ company: 'acme', password, detectionScore: 0.8 }, call);
    for (const detectionScore of [1.5, NaN, 0.1234567, undefined]) {
      await assert.rejects(handlers.setDetectionScore({ company: 'acme', password, detectionScore }, call));
    }
    const { detectionScore } = await handlers.getDetectionScore({ company: 'acme', password }, call);
    assert.equal(detectionScore, 0.8);
  });

  it('refuses a company that was deleted while its password was checked', async () => {
    const { handlers, rows } = setUp({ afterAuthentication: () => rows.delete('acme') });
    await assert.rejects(
      handlers.setDetectionScore({ company: 'acme', password, detectionScore: 0.8 }, call),
      authFailed,
    );
    assert.equal(rows.size, 0);
    await assert.rejects(handlers.getDetectionScore({ company: 'acme', password }, call), authFailed);
  });
});

const authFailed = {
  reason: 'COMPANY_AUTH_FAILED',
  message: 'the company is unknown or the password is wrong, want a company and its password',
  details: {},
};

function setUp({ afterAuthentication = (): unknown => undefined } = {}) {
  const rows = new Map<string, number | undefined>([['acme', undefined]]);
  const asked: object[] = [];
  const touched: string[] = [];
  const store: Pick<CompanyStore, 'findScore' | 'setScore'> = {
    findScore(company) {
      touched.push(`get ${company}`);
      return Promise.resolve(rows.has(company) ? { score: rows.get(company) } : undefined);
    },
    setScore(company, score, passwordHash) {
      touched.push(`set ${company}`);
      assert.equal(passwordHash, 'stored');
      if (!rows.has(company)) return Promise.resolve(undefined);
      rows.set(company, score);
      return Promise.resolve({ name: company, detectionScore: score, createTime: undefined });
    },
  };
  const handlers = createScoreConfigHandlers({
    scores: store,
    companies: {
      authenticate(credentials) {
        asked.push(credentials);
        if (credentials.password !== password) return Promise.reject(refuse('COMPANY_AUTH_FAILED', authFailed.message));
        afterAuthentication();
        return Promise.resolve('stored');
      },
    },
    defaultScore: 0.42,
  });
  return { handlers, store, rows, asked, touched };
}
