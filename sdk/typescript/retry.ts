import { RefusedError } from './refused-error.js';
import type { TimeLimit } from './time-limit.js';

/** Limits for retries. */
export interface RetryOptions {
  /** How often a call is retried: twice by default; 0 means never. */
  readonly retries?: number | undefined;
  /** The longest delay, 5,000 by default; if the service asks for a longer one, the call is not retried. */
  readonly maxDelayMs?: number | undefined;
}

const firstDelayMs = 200;

/**
 * Retries only if the service is not known to have started the work: it could not be reached or is stopping
 * (UNAVAILABLE), or its queue is full (QUEUE_FULL). A picture that a worker had may be what broke the service,
 * and is not resent (`begun` in the details). The service's Retry-After is respected; without one, the delays
 * double, each shortened at random so that callers do not come back together. A delay is not begun that the call has no
 * time for: the refusal says more than that the time is up.
 *
 * @throws RefusedError of the last try; `signal.reason` once aborted.
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  { retries = 2, maxDelayMs = 5_000 }: RetryOptions,
  { signal, deadline }: TimeLimit,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= retries || !isWorthRetrying(error)) throw error;
      const asked = error.retryAfterSeconds;
      const delayMs = asked === undefined ? firstDelayMs * 2 ** tried * (0.5 + Math.random() / 2) : asked * 1_000;
      if (delayMs > Math.min(maxDelayMs, deadline - performance.now())) throw error;
      await sleep(delayMs, signal);
    }
  }
}

function isWorthRetrying(error: unknown): error is RefusedError {
  return (
    error instanceof RefusedError &&
    (error.code === 'UNAVAILABLE' || error.reason === 'QUEUE_FULL') &&
    error.details['begun'] === undefined
  );
}

/** Without Node.js modules, for browsers. */
function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(toError(signal.reason));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, delayMs);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Whatever a signal was aborted with, as an Error. */
export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
