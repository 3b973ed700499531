import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompanyStore } from '../../../../core-server/access/companies/knex-company-store.js';
import {
  createScoreConfigHandlers,
  createThresholdResolver,
} from '../../../../core-server/features/score-config/service.js';
import { ThresholdSource } from '../../../../generated/imageanalysis/v1/face_detection.js';
import { type Refusal, refuse } from '../../../../runtime/errors/refusal.js';

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

  const wish = 'a number from 0 to 1 with at most 6 decimals';
  const refused = [
    [{ company: '' }, 'MISSING_FIELD', 'company is missing, want the name of a registered company'],
    [{ password: '' }, 'MISSING_FIELD', 'password is missing, want the password of the company'],
    [{ detectionScore: undefined }, 'MISSING_FIELD', `detection_score is missing, want ${wish}`],
    [{ detectionScore: 1.5 }, 'INVALID_SCORE', `detection_score is "1.5", want ${wish}`],
  ] as const;
  for (const [parts, reason, message] of refused)
    it(`refuses ${JSON.stringify(parts)} before the password is checked`, async () => {
      const { handlers, asked } = setUp();
      const request = { company: 'acme', password, detectionScore: 0.5, ...parts };
      await assert.rejects(handlers.setDetectionScore(request, call), { reason, message });
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
  const scores: Pick<CompanyStore, 'findScore' | 'setScore'> = {
    findScore(company, owner) {
      assert.equal(owner, call.keyId);
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
    scores,
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
  return { handlers, rows, asked, touched };
}

/** Of a service whose default is 0.7 and which has one company. */
function createResolver(score?: number) {
  const findScore = (company: string, owner?: string) => {
    assert.equal(owner, call.keyId);
    return Promise.resolve(company === 'acme' ? { score } : undefined);
  };
  const resolve = createThresholdResolver({ findScore }, 0.7);
  return (wish: Parameters<typeof resolve>[0]) => resolve(wish, call);
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
