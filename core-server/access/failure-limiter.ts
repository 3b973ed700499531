import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../errors.js';
import { isCompanyName } from './company-name.js';
import { callerAddress } from '../../runtime/caller-address.js';
import { secondsLeft } from './seconds-left.js';

/** Who tried to be which company. */
export interface PasswordAttempt {
  readonly company: string;
  /** Public id of the API key that came along. */
  readonly keyId: string;
  /** Address of the caller, with or without a port. */
  readonly peer: string;
}

/** Slows down the guessing of passwords. Known and unknown companies are treated alike. */
export interface FailureLimiter {
  /** @throws ServiceError RATE_LIMITED when there were too many failures. */
  check(attempt: PasswordAttempt): Promise<void>;
  recordFailure(attempt: PasswordAttempt): Promise<void>;
  recordSuccess(attempt: PasswordAttempt): Promise<void>;
}

export interface FailureLimiterOptions {
  /** Failures of one caller on one company before it has to wait. */
  readonly maxFailures?: number;
  /** Failures of one caller on all companies together before it has to wait. */
  readonly maxFailuresPerCaller?: number;
  /** Failures count for this long, from the first one. */
  readonly windowSeconds?: number;
}

/**
 * A caller is an API key and an address: behind a proxy, all clients have one address, and nobody is to be
 * locked out by the failures of another. Counts in the memory of this process: with several keys or
 * replicas a guesser has as many tries more.
 */
export function createFailureLimiter({
  maxFailures = 10,
  maxFailuresPerCaller = 100,
  windowSeconds = 300,
}: FailureLimiterOptions = {}): FailureLimiter {
  const perCompany = new RateLimiterMemory({ points: maxFailures, duration: windowSeconds });
  const perCaller = new RateLimiterMemory({
    points: maxFailuresPerCaller,
    duration: windowSeconds,
  });
  const callerKey = ({ keyId, peer }: PasswordAttempt): string => `${keyId} ${callerAddress(peer)}`;
  const companyKey = (attempt: PasswordAttempt): string =>
    // One entry for all names that no company can have: a caller must not fill the memory with them.
    `${callerKey(attempt)} ${isCompanyName(attempt.company) ? attempt.company : ''}`;

  return {
    async check(attempt) {
      await refuseWhenSpent(perCompany, companyKey(attempt), 'password');
      await refuseWhenSpent(perCaller, callerKey(attempt), 'password');
    },
    async recordFailure(attempt) {
      await perCompany.penalty(companyKey(attempt));
      await perCaller.penalty(callerKey(attempt));
    },
    async recordSuccess(attempt) {
      await perCompany.delete(companyKey(attempt));
    },
  };
}

/** @throws ServiceError RATE_LIMITED when the points of this key are used up by a wrong `field`. */
export async function refuseWhenSpent(
  limiter: RateLimiterMemory,
  key: string,
  field: string,
): Promise<void> {
  const state = await limiter.get(key);
  if (state === null || state.consumedPoints < limiter.points || state.msBeforeNext <= 0) return;
  const { points, duration } = limiter;
  const seconds = secondsLeft(state.msBeforeNext, duration);
  throw new ServiceError(
    'RATE_LIMITED',
    `${field} was wrong ${state.consumedPoints} times, want fewer than ${points} in ${duration} s, try again in ${seconds} s`,
    { details: { field, limit: String(points) }, retryAfterSeconds: seconds },
  );
}
