import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult, OpenLoadOrder, Sender } from './messages.js';
import { createTally } from './tally.js';

/** Answers that never come would keep the run from ending. */
const longestDrainMs = 60_000;
/** What has become due is sent so often: waking for each request would take twice the processor time. */
const everyMs = 5;

/**
 * Sends so many requests a second, evenly, whatever becomes of those before; then waits for those
 * under way. Where this process itself cannot keep up, it sends what is due at once.
 */
export async function runOpenLoop(sender: Sender, order: OpenLoadOrder): Promise<LoadResult> {
  const { ratePerSecond, windowMs } = order;
  const tally = createTally();
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  const total = Math.round((ratePerSecond * windowMs) / 1_000);
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, ((performance.now() - startedAt) * ratePerSecond) / 1_000);
    for (; sent < due; sent += 1) {
      const request = tally.send(sender, sent).then(() => void underWay.delete(request));
      underWay.add(request);
    }
    await sleep(everyMs);
  }
  const sendingMs = performance.now() - startedAt;
  await Promise.race([Promise.all(underWay), sleep(longestDrainMs)]);
  const unanswered = underWay.size;
  return tally.result({ elapsedMs: performance.now() - startedAt, sendingMs, unanswered });
}
