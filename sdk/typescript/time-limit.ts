import { RefusedError } from './refused-error.js';

/** The limits of one call. */
export interface CallOptions {
  /** Milliseconds for the call including all its attempts. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** The time for a call including all its attempts. */
export interface TimeLimit {
  /** Aborted by the caller's signal, or with DEADLINE_EXCEEDED when the time is up. */
  readonly signal: AbortSignal;
  /** When the time is up, milliseconds since 1970. */
  readonly deadline: number;
}

/** Runs a call within its time limit. */
export async function withinTime<T>(
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  call: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(
      new RefusedError(`the call took longer than ${timeoutMs} ms`, {
        reason: undefined,
        code: 'DEADLINE_EXCEEDED',
        details: {},
        retryAfterSeconds: undefined,
      }),
    );
  }, timeoutMs);
  try {
    return await call({
      signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
      deadline: Date.now() + timeoutMs,
    });
  } finally {
    clearTimeout(timer);
  }
}
