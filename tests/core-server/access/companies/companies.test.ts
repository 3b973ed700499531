import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCompanies } from '../../../../core-server/access/companies/companies.js';
import type { CompanyStore } from '../../../../core-server/access/companies/knex-company-store.js';
import { createPasswordHasher, type PasswordHasher } from '../../../../core-server/access/companies/password.js';
import { createFailureLimiter } from '../../../../core-server/access/limits/failure-limiter.js';
import { createSemaphore } from '../../../../core-server/common/semaphore.js';
import { deferred } from '../../../helpers/deferred.js';

const caller = { keyId: 'key', clientAddress: '192.0.2.1' };
const password = 'right-password';

describe('companies', () => {
  it('authenticates with the right password', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: new Date('2026-01-01T00:00:00Z') });
    const { companies, verified } = setUp();
    const company = await companies.create('acme', password);
    assert.deepEqual(company, { name: 'acme', detectionScore: undefined, createTime: new Date() });
    assert.equal(await companies.authenticate({ company: 'acme', password, ...caller }), verified[0]?.stored);
  });

  it('refuses an unknown company and a wrong password alike, after the same work', async () => {
    const { companies, verified } = setUp();
    await companies.create('acme', password);
    const longest = 'x'.repeat(1024);
    const attempts: [what: string, company: string, sent: string, hashed: string][] = [
      ['wrong password', 'acme', 'wrong-password', 'wrong-password'],
      ['empty password', 'acme', '', ''],
      ['other case', 'acme', 'Right-password', 'Right-password'],
      ['unknown company', 'other', password, password],
      ['huge name', 'x'.repeat(1_000_000), password, password],
      ['the longest that is hashed', 'acme', longest, longest],
      ['longer', 'acme', `${longest}x`, longest],
    ];
    for (const [what, company, sent, hashed] of attempts) {
      verified.length = 0;
      const attempt = { company, password: sent, ...caller };
      await assert.rejects(companies.authenticate(attempt), authFailed, what);
      assert.deepEqual(
        verified.map((one) => one.sent),
        [hashed],
        `${what}: one scrypt`,
      );
      assert.match(verified[0]?.stored ?? '', /^scrypt\$4\$8\$1\$/, `${what}: of the same cost`);
    }
  });

  it('does not take the password of another company', async () => {
    const { companies } = setUp();
    await companies.create('acme', password);
    await companies.create('beta', 'other-password');
    await assert.rejects(companies.authenticate({ company: 'beta', password, ...caller }), authFailed);
  });

  it('takes the new password only, once it is set', async () => {
    const { companies } = setUp();
    await companies.create('acme', password);
    await companies.setPassword('acme', 'new-password');
    await companies.authenticate({ company: 'acme', password: 'new-password', ...caller });
    await assert.rejects(companies.authenticate({ company: 'acme', password, ...caller }), authFailed);
  });

  it('is registered once', async () => {
    const { companies } = setUp();
    await companies.create('acme', password);
    await assert.rejects(companies.create('acme', 'other-password'), {
      reason: 'COMPANY_EXISTS',
      message: 'name is "acme", want one that is not registered',
      details: { field: 'name', value: 'acme' },
    });
    await companies.authenticate({ company: 'acme', password, ...caller });
  });

  it('is known to be changed or deleted', async () => {
    const { companies } = setUp();
    for (const name of ['other', '', '\0', 'no such company']) {
      const expected = { reason: 'UNKNOWN_COMPANY', details: { field: 'name', value: name } };
      await assert.rejects(companies.setPassword(name, password), expected);
      await assert.rejects(companies.delete(name), expected);
    }
    await companies.create('acme', password);
    await companies.delete('acme');
    await assert.rejects(companies.authenticate({ company: 'acme', password, ...caller }), authFailed);
  });

  for (const company of ['acme', 'unknown']) {
    it(`is slowed down after 10 failures, right password or not (${company})`, async () => {
      let held = Promise.resolve();
      const { companies, verified } = setUp({ beforeVerify: () => held });
      await companies.create('acme', password);
      for (let failure = 1; failure <= 10; failure++) {
        await assert.rejects(companies.authenticate({ company, password: 'wrong', ...caller }), authFailed);
      }
      verified.length = 0;
      // Others are not held up: another address, another company.
      const hold = deferred();
      held = hold.promise;
      const elsewhere = { company: 'acme', password, keyId: 'key', clientAddress: '192.0.2.2' };
      const others = [1, 2].map(() => companies.authenticate(elsewhere));
      await assert.rejects(companies.authenticate({ company, password, ...caller }), rateLimited, 'takes no turn');
      hold.resolve();
      await Promise.all(others);
      assert.equal(verified.length, 2, 'no password of its own is checked any more');
      if (company !== 'acme') await companies.authenticate({ company: 'acme', password, ...caller });
    });
  }

  it('forgets the failures after a success', async () => {
    const { companies } = setUp();
    await companies.create('acme', password);
    for (let round = 1; round <= 3; round++) {
      for (let failure = 1; failure <= 9; failure++) {
        await assert.rejects(companies.authenticate({ company: 'acme', password: 'wrong', ...caller }), authFailed);
      }
      await companies.authenticate({ company: 'acme', password, ...caller });
    }
  });

  it('does not check more passwords when all guesses come at once', async () => {
    const { companies, verified } = setUp();
    await companies.create('acme', password);
    const guesses = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        companies.authenticate({ company: 'acme', password: `guess-${index}`, ...caller }),
      ),
    );
    assert.ok(guesses.every(({ status }) => status === 'rejected'));
    // Two are checked at a time, so that the last failure that counts may have a companion.
    assert.ok(verified.length <= 11, `${verified.length} were checked`);
  });

  it('lets many right passwords through at once, and leaves places to other keys', async () => {
    const { companies } = setUp();
    await companies.create('acme', password);
    const authenticate = (keyId: string) => companies.authenticate({ company: 'acme', password, ...caller, keyId });
    const flood = Promise.allSettled(Array.from({ length: 60 }, () => authenticate('flood')));
    await authenticate('other');
    // Two are checked, and 52 of the 64 that may wait are of one key.
    const answered = (await flood).filter(({ status }) => status === 'fulfilled');
    assert.equal(answered.length, 54);
  });

  it('does not check the password of a caller that is gone', async () => {
    const hold = deferred();
    const { companies, verified } = setUp({ beforeVerify: () => hold.promise });
    await companies.create('acme', password);
    const gone = new AbortController();
    const running = [1, 2].map(() => companies.authenticate({ company: 'acme', password, ...caller }));
    const waiting = companies.authenticate({ company: 'acme', password, ...caller, signal: gone.signal });
    await new Promise((resolve) => setImmediate(resolve)); // it waits for its turn now
    gone.abort(new Error('gone'));
    await assert.rejects(waiting, { message: 'gone' });
    hold.resolve();
    await Promise.all(running);
    assert.equal(verified.length, 2);
  });
});

const authFailed = {
  reason: 'COMPANY_AUTH_FAILED',
  message: 'the company is unknown or the password is wrong, want a company and its password',
  details: {},
};

function rateLimited(error: { reason: string; retryAfterSeconds: number }): boolean {
  assert.equal(error.reason, 'RATE_LIMITED');
  assert.ok(error.retryAfterSeconds > 290 && error.retryAfterSeconds <= 300);
  return true;
}

function setUp({ beforeVerify = () => Promise.resolve() } = {}) {
  // A real hasher, made cheap; it notes what it was asked to verify, and against which stored forms.
  const real = createPasswordHasher({ log2N: 4 });
  const verified: { readonly sent: string; readonly stored: string }[] = [];
  const hasher: PasswordHasher = {
    ...real,
    async verify(sent, stored) {
      verified.push({ sent, stored });
      await beforeVerify();
      return real.verify(sent, stored);
    },
  };
  const companies = createCompanies({
    store: createMemoryStore(),
    hasher,
    semaphore: createSemaphore('the queue', { maxRunning: 2, maxWaiting: 64 }),
    failures: createFailureLimiter(),
  });
  return { companies, verified };
}

function createMemoryStore(): CompanyStore {
  const rows = new Map<string, string>();
  return {
    insert: (name, hash) => Promise.resolve(!rows.has(name) && !!rows.set(name, hash)),
    setPasswordHash: (name, hash) => Promise.resolve(rows.has(name) && !!rows.set(name, hash)),
    findPasswordHash: (name) => Promise.resolve(rows.get(name)),
    findScore: () => Promise.resolve(undefined),
    setScore: () => Promise.resolve(undefined),
    list: () => Promise.resolve([]),
    delete: (name) => Promise.resolve(rows.delete(name)),
  };
}
