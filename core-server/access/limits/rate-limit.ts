import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { refuseField } from '../../../runtime/errors/refusal.js';

const windowSeconds = 60;

/**
 * Limits the request rate of an API key: a fixed window of one minute per key, starting with its first request. Counts in
 * the memory of this process: with several replicas behind one address, a key has this limit on each of them.
 *
 * @param requestsPerMinute 0: no limit
 * @returns counts one request of a key; rejects with RATE_LIMITED when the key has used up its minute
 */
export function createKeyRateLimiter(requestsPerMinute: number): (keyId: string) => Promise<void> {
  if (requestsPerMinute === 0) return () => Promise.resolve();
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: windowSeconds });
  return async (keyId) => {
    try {
      await limiter.consume(keyId);
    } catch (caught) {
      if (!(caught instanceof RateLimiterRes)) throw caught;
      const { consumedPoints: value, msBeforeNext } = caught;
      const clause = `has sent ${value} requests, want at most ${requestsPerMinute} per minute`;
      const retryAfterSeconds = secondsLeft(msBeforeNext, windowSeconds);
      throw refuseField('RATE_LIMITED', 'apikey', clause, { value, limit: requestsPerMinute, retryAfterSeconds });
    }
  };
}

/**
 * Whole seconds until the end of a window. The limiter counts by the system clock and drops a window with a
 * timer: if the clock was set back meanwhile, the rest is never longer than the window.
 */
export function secondsLeft(msBeforeNext: number, windowSeconds: number): number {
  return Math.min(Math.ceil(msBeforeNext / 1000), windowSeconds);
}
