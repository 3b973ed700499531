/** Accumulates the time of named steps. */
export interface Stopwatch {
  time<Result>(step: string, work: () => Result | Promise<Result>): Promise<Result>;
  /** Milliseconds by step, so far. */
  readonly timings: Readonly<Record<string, number>>;
}

export function createStopwatch(now: () => number): Stopwatch {
  const timings: Record<string, number> = {};
  return {
    timings,
    async time(step, work) {
      const start = now();
      try {
        return await work();
      } finally {
        timings[step] = (timings[step] ?? 0) + now() - start;
      }
    },
  };
}
