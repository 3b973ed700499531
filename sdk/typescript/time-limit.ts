import { RefusedError } from './refused-error.js';

/** What every call may be given. */
export interface CallOptions {
  /** Milliseconds for the call including all its attempts; `Infinity` for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** The `request_id` of the call in the service's log: at most 128 letters, digits, `-` and `_`. */
  readonly requestId?: string | undefined;
}

/** The time for a call including all its attempts. */
export interface TimeLimit {
  /** Aborted by the caller's signal, or with DEADLINE_EXCEEDED when the time is up. */
  readonly signal: AbortSignal;
  /** When the time is up: monotonic, milliseconds. */
  readonly deadline: number;
}

/** The longest that a timer can wait, 25 days; a longer one would fire at once. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Runs a call within its time limit, or the default one. */
export async function withinTime<T>(
  options: CallOptions,
  defaultMs: number,
  call: (limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const limit = startTime(options, defaultMs);
  try {
    return await call(limit);
  } finally {
    limit.stop();
  }
}

/** Starts the time of a call; to be stopped when the call is over, which ends what is left of it. */
export function startTime(options: CallOptions, defaultMs: number): TimeLimit & { stop(): void } {
  const { signal } = options;
  const timeoutMs = Math.min(options.timeoutMs ?? defaultMs, maxTimeoutMs);
  signal?.throwIfAborted();
  // gRPC would throw it where nobody can catch it.
  if (Number.isNaN(timeoutMs)) throw new TypeError('timeoutMs is NaN, want milliseconds or Infinity');
  const over = new AbortController();
  const timer = setTimeout(() => {
    over.abort(new RefusedError(`the call took longer than ${timeoutMs} ms`, { code: 'DEADLINE_EXCEEDED' }));
  }, timeoutMs);
  return {
    signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
    deadline: performance.now() + timeoutMs,
    stop: () => {
      clearTimeout(timer);
      // What is left of a response that is not read to its end.
      over.abort();
    },
  };
}
