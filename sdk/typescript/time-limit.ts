import { RefusedError } from './refused-error.js';

/** How one call is bounded. */
export interface CallOptions {
  /** Milliseconds for the call with all its tries. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** A call's time with all its tries. */
export interface TimeLimit {
  /** Aborted by the caller's signal, or with a DEADLINE_EXCEEDED when the time is over. */
  readonly signal: AbortSignal;
  /** When the time is over, milliseconds since 1970. */
  readonly deadline: number;
}

/** Runs a call within its time. */
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
