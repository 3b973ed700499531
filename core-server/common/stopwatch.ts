import { setImmediate as nextTurn } from 'node:timers/promises';

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

/** Does the same with each item, in steps between which the thread hears that the caller is gone. */
export async function eachInTurn<Item, Result>(
  items: readonly Item[],
  name: string,
  step: Stopwatch['time'],
  work: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await step(name, () => work(item)));
    await nextTurn();
  }
  return results;
}
