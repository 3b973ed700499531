export type Stopwatch = ReturnType<typeof createStopwatch>;

/** Accumulates the time of named steps, of which none starts once the signal is aborted. */
export function createStopwatch(signal: AbortSignal, now = () => performance.now()) {
  const timings: Record<string, number> = {};
  return {
    /** Milliseconds by step, so far. */
    timings: timings as Readonly<Record<string, number>>,
    time: async <Result>(step: string, work: () => Result | Promise<Result>): Promise<Result> => {
      signal.throwIfAborted();
      const start = now();
      try {
        return await work();
      } finally {
        timings[step] = (timings[step] ?? 0) + now() - start;
      }
    },
  };
}
