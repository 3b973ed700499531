import { RefusedError } from './refused-error.js';

/** Bounds of trying again. */
export interface RetrySettings {
  /** How often a call is tried again; 0: never. */
  readonly retries: number;
  /** The longest wait; a service that asks for a longer one is not tried again. */
  readonly maxDelayMs: number;
}

export const defaultRetrySettings: RetrySettings = { retries: 2, maxDelayMs: 5_000 };

/** For calls that would do their work twice. */
export const neverRetried: RetrySettings = { retries: 0, maxDelayMs: 0 };

const firstDelayMs = 200;

/**
 * Tries again, only where the service is not known to have begun the work: it could not be reached or is
 * stopping (UNAVAILABLE), or its queue is full (QUEUE_FULL). A picture that a worker had may be what
 * broke the service, and is not sent again (`begun` in the details). The service's Retry-After is kept
 * to; without one the waits double, each shortened at random so that callers do not come back together.
 *
 * @throws RefusedError of the last try; `signal.reason` once aborted.
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  { retries, maxDelayMs }: RetrySettings,
  signal: AbortSignal,
): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= retries || !isWorthRetrying(error)) throw error;
      const asked = error.retryAfterSeconds;
      const delayMs =
        asked === undefined ? firstDelayMs * 2 ** tried * (0.5 + Math.random() / 2) : asked * 1_000;
      if (delayMs > maxDelayMs) throw error;
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

/** Without Node's modules, for browsers. */
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
