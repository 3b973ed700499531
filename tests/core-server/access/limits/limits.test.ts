import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createFailureLimiter,
  type FailureLimiter,
  type PasswordAttempt,
} from '../../../../core-server/access/limits/failure-limiter.js';
import { createKeyRateLimiter } from '../../../../core-server/access/limits/rate-limit.js';
import { createSemaphore } from '../../../../core-server/common/semaphore.js';
import { deferred } from '../../../helpers/deferred.js';

describe('request rate of an API key', () => {
  it('allows the limit and no more, each key its own', async (t) => {
    useClock(t);
    const consume = createKeyRateLimiter(3);
    for (let request = 1; request <= 3; request++) await consume('ia_a');
    await assert.rejects(consume('ia_a'), {
      reason: 'RATE_LIMITED',
      message: 'apikey has sent 4 requests, want at most 3 per minute',
      details: { field: 'apikey', value: '4', limit: '3' },
      retryAfterSeconds: 60,
    });
    await consume('ia_b');
  });

  it('tells when it is worth to try again, and allows it then', async (t) => {
    const clock = useClock(t);
    const consume = createKeyRateLimiter(1);
    await consume('ia_a');
    clock.tick(45_500);
    await assert.rejects(consume('ia_a'), { retryAfterSeconds: 15 });
    clock.tick(14_500);
    await consume('ia_a');
  });

  it('lasts no longer than its minute when the clock is set back', async (t) => {
    const clock = useTwoClocks(t);
    const consume = createKeyRateLimiter(1);
    await consume('ia_a');
    clock.date = 0;
    await assert.rejects(consume('ia_a'), { retryAfterSeconds: 60 });
    clock.timers.tick(60_000);
    await consume('ia_a');
  });

  it('begins a new minute when the clock is set forward', async (t) => {
    const clock = useTwoClocks(t);
    const consume = createKeyRateLimiter(1);
    await consume('ia_a');
    clock.date += 3_600_000;
    await consume('ia_a');
    await assert.rejects(consume('ia_a'), { retryAfterSeconds: 60 });
  });

  it('is off at 0', async () => {
    const consume = createKeyRateLimiter(0);
    for (let request = 1; request <= 1000; request++) await consume('ia_a');
  });
});

describe('failure limiter', () => {
  const attempt = { company: 'acme', keyId: 'key', clientAddress: '2001:db8::1' };

  async function fail(failures: FailureLimiter, times: number, what: PasswordAttempt = attempt) {
    for (let failure = 1; failure <= times; failure++) await failures.recordFailure(what);
  }

  it('refuses from the tenth failure on, until the window is over', async (t) => {
    const clock = useClock(t);
    const failures = createFailureLimiter();
    await fail(failures, 9);
    await failures.check(attempt);
    await failures.recordFailure(attempt);
    clock.tick(100_000);
    await assert.rejects(failures.check(attempt), {
      reason: 'RATE_LIMITED',
      message: 'password was wrong 10 times, want fewer than 10 in 300 s, try again in 200 s',
      details: { field: 'password', limit: '10' },
      retryAfterSeconds: 200,
    });
    clock.tick(200_000);
    await failures.check(attempt);
  });

  it('lasts no longer than its window when the clock is set', async (t) => {
    const clock = useTwoClocks(t);
    const failures = createFailureLimiter();
    await fail(failures, 10);
    clock.date += 300_000;
    await failures.check(attempt);
    clock.date = 0;
    await assert.rejects(failures.check(attempt), { retryAfterSeconds: 300 });
    clock.timers.tick(300_000);
    await failures.check(attempt);
  });

  it('is not got round by another address of the same network', async () => {
    const failures = createFailureLimiter();
    await fail(failures, 10);
    await assert.rejects(failures.check({ ...attempt, clientAddress: '2001:db8::2' }));
    await failures.check({ ...attempt, clientAddress: '2001:db8:1::1' });
    await failures.check({ ...attempt, company: 'beta' });
  });

  it('bounds the failures of one caller on all companies together', async () => {
    const failures = createFailureLimiter();
    for (let index = 1; index <= 99; index++) {
      await failures.recordFailure({ ...attempt, company: `company-${index}` });
    }
    await failures.check(attempt);
    await failures.recordFailure({ ...attempt, company: 'company-100' });
    await assert.rejects(failures.check(attempt), { reason: 'RATE_LIMITED' });
    await failures.check({ ...attempt, clientAddress: '192.0.2.2' });
  });

  it('does not lock out another key behind the same proxy', async () => {
    const failures = createFailureLimiter();
    await fail(failures, 100);
    await assert.rejects(failures.check(attempt));
    await failures.check({ ...attempt, keyId: 'other' });
  });

  it('bounds what one key tries on a company from made-up addresses, successes or not', async () => {
    const failures = createFailureLimiter();
    const from = (host: number) => ({ ...attempt, clientAddress: `192.0.2.${host}` });
    for (let host = 1; host <= 99; host++) {
      await failures.recordFailure(from(host));
      await failures.recordSuccess(from(host));
    }
    await failures.check(from(100));
    await failures.recordFailure(from(100));
    await assert.rejects(failures.check(from(101)), {
      reason: 'RATE_LIMITED',
      details: { field: 'password', limit: '100' },
    });
    await failures.check({ ...from(101), keyId: 'other' });
    await failures.check({ ...from(101), company: 'beta' });
  });

  it('counts names that no company can have as one', async () => {
    const failures = createFailureLimiter();
    await fail(failures, 5, { ...attempt, company: 'no such company' });
    await fail(failures, 5, { ...attempt, company: 'x'.repeat(65) });
    await assert.rejects(failures.check({ ...attempt, company: 'a b' }));
    await failures.check(attempt);
  });
});

describe('semaphore', () => {
  it('runs so many at a time, in the order they came', async () => {
    const limiter = createSemaphore('the queue', { maxRunning: 2, maxWaiting: 10 });
    const holds = Array.from({ length: 5 }, () => deferred());
    const begun: number[] = [];
    const runs = holds.map((hold, index) =>
      limiter.run('key', () => {
        begun.push(index);
        return hold.promise;
      }),
    );
    await nextTurn();
    assert.deepEqual(begun, [0, 1]);
    holds[1]?.resolve();
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 2]);
    holds[0]?.reject(new Error('failed'));
    await assert.rejects(runs[0] ?? Promise.resolve(), /failed/);
    await nextTurn();
    assert.deepEqual(begun, [0, 1, 2, 3]);
    for (const hold of holds) hold.resolve();
    await Promise.all(runs.slice(1));
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  });

  it('refuses when too many wait, and takes work again afterwards', async () => {
    const limiter = createSemaphore('the queue', { maxRunning: 1, maxWaiting: 1 });
    const hold = deferred();
    const running = limiter.run('key', () => hold.promise);
    const waiting = limiter.run('key', () => Promise.resolve('waited'));
    await assert.rejects(
      limiter.run('key', () => Promise.resolve()),
      {
        reason: 'QUEUE_FULL',
        message: 'the queue has 1 ahead of this request and room for 1, try again in 1 s',
        retryAfterSeconds: 1,
      },
    );
    hold.resolve();
    await running;
    assert.equal(await waiting, 'waited');
    assert.equal(await limiter.run('key', () => Promise.resolve('later')), 'later');
  });

  it('does not begin work whose caller is gone, and gives its place to the next', async () => {
    const limiter = createSemaphore('the queue', { maxRunning: 1, maxWaiting: 2 });
    const hold = deferred();
    const running = limiter.run('key', () => hold.promise);
    const gone = new AbortController();
    let begun = false;
    const abandoned = limiter.run('key', () => Promise.resolve((begun = true)), gone.signal);
    const next = limiter.run('key', () => Promise.resolve('next'));
    gone.abort(new Error('gone'));
    await assert.rejects(abandoned);
    await assert.rejects(
      limiter.run('key', () => Promise.resolve(), gone.signal),
      /gone/,
    );
    hold.resolve();
    await running;
    assert.equal(await next, 'next');
    assert.equal(begun, false);
  });

  it('does not begin work that has waited for too long, and goes on', async () => {
    const limiter = createSemaphore('the queue', { maxRunning: 1, maxWaiting: 2, maxWaitMs: 20 });
    const hold = deferred();
    const running = limiter.run('key', () => hold.promise);
    let begun = false;
    const late = limiter.run('key', () => Promise.resolve((begun = true)));
    await assert.rejects(late, /^Error: the queue was not free in time$/);
    hold.resolve();
    await running;
    assert.equal(await limiter.run('key', () => Promise.resolve('later')), 'later');
    assert.equal(begun, false);
  });

  it('gives no result to what follows for a caller that has left meanwhile', async () => {
    const limiter = createSemaphore('the queue', { maxRunning: 1, maxWaiting: 1 });
    const hold = deferred();
    const gone = new AbortController();
    const abandoned = limiter.run('key', () => hold.promise, gone.signal);
    gone.abort(new Error('gone'));
    hold.resolve();
    await assert.rejects(abandoned, /gone/);
  });
});

function useClock(t: TestContext) {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });
  return t.mock.timers;
}

/** The clock of the day apart from the timers, which go on whatever is done to it. */
function useTwoClocks(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = { date: 1e12, timers: t.mock.timers };
  t.mock.method(Date, 'now', () => clock.date);
  return clock;
}
