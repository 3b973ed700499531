import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { refuse } from '../../../runtime/errors/refusal.js';
import { secondsLeft } from './seconds-left.js';

const windowSeconds = 60;

/** Limits the request rate of an API key. */
export interface KeyRateLimiter {
  /** Counts one request. @throws Refusal RATE_LIMITED when the key has used up its minute. */
  consume(keyId: string): Promise<void>;
}

/**
 * A fixed window of one minute per key, starting with its first request. Counts in the memory of this process:
 * with several replicas behind one address, a key has this limit on each of them.
 */
export function createKeyRateLimiter(options: {
  /** 0: no limit. */
  readonly requestsPerMinute: number;
}): KeyRateLimiter {
  const { requestsPerMinute } = options;
  if (requestsPerMinute === 0) return { consume: () => Promise.resolve() };
  const limiter = new RateLimiterMemory({ points: requestsPerMinute, duration: windowSeconds });

  return {
    async consume(keyId) {
      try {
        await limiter.consume(keyId);
      } catch (caught) {
        if (!(caught instanceof RateLimiterRes)) throw caught;
        throw refuse(
          'RATE_LIMITED',
          `apikey has sent ${caught.consumedPoints} requests, want at most ${requestsPerMinute} per minute`,
          {
            details: {
              field: 'apikey',
              value: String(caught.consumedPoints),
              limit: String(requestsPerMinute),
            },
            retryAfterSeconds: secondsLeft(caught.msBeforeNext, windowSeconds),
          },
        );
      }
    },
  };
}
