import { RateLimiterMemory } from 'rate-limiter-flexible';
import { refuseField } from '../../../runtime/errors/refusal.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { isCompanyName } from '../companies/company-name.js';
import { secondsLeft } from './rate-limit.js';

export interface PasswordAttempt {
  readonly company: string;
  /** Public id of the API key that was sent. */
  readonly keyId: string;
  readonly clientAddress: string;
}

/** Failures of one caller on one company before it has to wait. */
const maxFailures = 10;
/** Failures of one caller on all companies together before it has to wait. */
const maxFailuresPerCaller = 100;
/** Failures with one API key on one company, from all addresses, before all of them have to wait. */
const maxFailuresPerKey = 100;
/** Failures count for this long, from the first one. */
const windowSeconds = 300;

/** Slows down password guessing. Known and unknown companies are treated alike. */
export type FailureLimiter = ReturnType<typeof createFailureLimiter>;

/**
 * A caller is an API key and an address: behind a proxy, all clients have one address, and one client's failures
 * must not lock out the others. A client that calls the core directly from a trusted network can invent an address
 * for each guess, so a key's failures on a company are also limited regardless of address. Counts in the memory of
 * this process: several keys or replicas multiply the attempts.
 */
export function createFailureLimiter() {
  const limit = (points: number, keyOf: (attempt: PasswordAttempt) => string) => ({
    limiter: new RateLimiterMemory({ points, duration: windowSeconds }),
    keyOf,
  });
  const callerOf = ({ keyId, clientAddress }: PasswordAttempt): string => `${keyId} ${callerAddress(clientAddress)}`;
  // One entry for all impossible names: a caller must not fill the memory with them.
  const companyOf = ({ company }: PasswordAttempt): string => (isCompanyName(company) ? company : '');

  const perCompany = limit(maxFailures, (attempt) => `${callerOf(attempt)} ${companyOf(attempt)}`);
  const perCaller = limit(maxFailuresPerCaller, callerOf);
  const perKey = limit(maxFailuresPerKey, (attempt) => `${attempt.keyId} ${companyOf(attempt)}`);
  const limits = [perCompany, perCaller, perKey];

  return {
    /** @throws Refusal RATE_LIMITED when there were too many failures. */
    async check(attempt: PasswordAttempt): Promise<void> {
      for (const { limiter, keyOf } of limits) await refuseWhenSpent(limiter, keyOf(attempt), 'password');
    },
    async recordFailure(attempt: PasswordAttempt): Promise<void> {
      for (const { limiter, keyOf } of limits) await limiter.penalty(keyOf(attempt));
    },
    async recordSuccess(attempt: PasswordAttempt): Promise<void> {
      await perCompany.limiter.delete(perCompany.keyOf(attempt));
    },
  };
}

/** @throws Refusal RATE_LIMITED when the points of this key are used up by a wrong `field`. */
export async function refuseWhenSpent(limiter: RateLimiterMemory, key: string, field: string): Promise<void> {
  const state = await limiter.get(key);
  if (state === null || state.consumedPoints < limiter.points || state.msBeforeNext <= 0) return;
  const { points, duration } = limiter;
  const seconds = secondsLeft(state.msBeforeNext, duration);
  const clause = `was wrong ${state.consumedPoints} times, want fewer than ${points} in ${duration} s, try again in ${seconds} s`;
  throw refuseField('RATE_LIMITED', field, clause, { limit: points, retryAfterSeconds: seconds });
}
