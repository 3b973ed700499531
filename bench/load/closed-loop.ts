import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOrder, LoadResult, Sender } from './messages.js';
import { createTally } from './tally.js';

/** A refused caller does not try again at once. */
const restAfterRefusalMs = 100;
/** However slow a system is, one window ends. */
const longestMs = 30_000;

/**
 * Keeps `concurrency` requests under way until the window is over and enough were sent, then
 * waits for those under way.
 */
export async function runClosedLoop(sender: Sender, order: LoadOrder): Promise<LoadResult> {
  const { concurrency, windowMs, minRequests, isPatient = false } = order;
  const tally = createTally();
  let turn = 0;
  const startedAt = performance.now();
  const isOver = (): boolean => {
    const elapsed = performance.now() - startedAt;
    const enough = elapsed >= windowMs && turn >= minRequests;
    return enough || tally.failed >= 3 || (!isPatient && elapsed >= longestMs);
  };
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const kind = await tally.send(sender, turn++);
      if (kind === 'refused') await sleep(restAfterRefusalMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const elapsedMs = performance.now() - startedAt;
  return tally.result({ elapsedMs, sendingMs: elapsedMs, unanswered: 0 });
}
