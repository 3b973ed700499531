import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is neither undefined nor false. @throws Error after the time. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not so after ${timeoutMs} ms: ${String(ask)}`);
    await sleep(5);
  }
}

/** Waits until a number has stopped to change. A slow machine makes it less strict, never fail. */
export async function untilStill(count: () => number): Promise<void> {
  for (let last = -1; count() !== last;) {
    last = count();
    await sleep(500);
  }
}
