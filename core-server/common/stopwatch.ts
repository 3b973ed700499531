/** Accumulates the time of named steps. */
export function createStopwatch(now: () => number) {
  const timings: Record<string, number> = {};
  return {
    /** Milliseconds by step, so far. */
    timings: timings as Readonly<Record<string, number>>,
    async time<Result>(step: string, work: () => Result | Promise<Result>): Promise<Result> {
      const start = now();
      try {
        return await work();
      } finally {
        timings[step] = (timings[step] ?? 0) + now() - start;
      }
    },
  };
}
