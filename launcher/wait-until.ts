import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks repeatedly until the answer is yes.
 *
 * @throws Error `<what> after <timeoutMs> ms` when the time is up; `signal.reason` when aborted.
 */
export async function waitUntil(
  check: () => Promise<boolean>,
  options: { what: string; timeoutMs: number; intervalMs?: number; signal?: AbortSignal },
): Promise<void> {
  const { what, timeoutMs, intervalMs = 100, signal } = options;
  const deadline = performance.now() + timeoutMs;
  while (!(await check())) {
    signal?.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`${what} after ${timeoutMs} ms`);
    await sleep(intervalMs);
  }
}
