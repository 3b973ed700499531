/** Adds up how long named steps take. */
export interface Stopwatch {
  time<Result>(step: string, work: () => Promise<Result>): Promise<Result>;
  timeSync<Result>(step: string, work: () => Result): Result;
  /** Milliseconds by step, so far. */
  readonly timings: Readonly<Record<string, number>>;
}

export function createStopwatch(now: () => number): Stopwatch {
  const timings: Record<string, number> = {};
  const add = (step: string, start: number): void => {
    timings[step] = (timings[step] ?? 0) + now() - start;
  };
  return {
    timings,
    async time(step, work) {
      const start = now();
      try {
        return await work();
      } finally {
        add(step, start);
      }
    },
    timeSync(step, work) {
      const start = now();
      try {
        return work();
      } finally {
        add(step, start);
      }
    },
  };
}
