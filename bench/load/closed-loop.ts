import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadOrder, LoadResult, Sender } from './messages.js';

/** A refused caller does not try again at once. */
const restAfterRefusalMs = 100;
/** However slow a system is, one window ends. */
const longestMs = 30_000;

/**
 * Keeps `concurrency` requests under way until the window is over and enough were answered, then
 * waits for those under way.
 */
export async function runClosedLoop(sender: Sender, order: LoadOrder): Promise<LoadResult> {
  const { id, concurrency, windowMs, minRequests, pauseMs, isPatient = false } = order;
  const latenciesMs: number[] = [];
  let [turn, refused, failed] = [0, 0, 0];
  let failure: string | undefined;
  let sample: Uint8Array | undefined;
  const startedAt = performance.now();
  const isOver = (): boolean => {
    const elapsed = performance.now() - startedAt;
    const enough = elapsed >= windowMs && turn >= minRequests;
    return enough || failed >= 3 || (!isPatient && elapsed >= longestMs);
  };
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const sentAt = performance.now();
      const outcome = await sender.send(turn++);
      if (outcome.kind === 'answered') {
        latenciesMs.push(performance.now() - sentAt);
        sample ??= outcome.body;
      } else if (outcome.kind === 'refused') {
        refused += 1;
        await sleep(restAfterRefusalMs);
      } else {
        failed += 1;
        failure ??= outcome.why;
      }
      if (pauseMs !== undefined) await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return {
    id,
    latenciesMs,
    refused,
    failed,
    elapsedMs: performance.now() - startedAt,
    ...(failure !== undefined && { failure }),
    ...(sample && { sample }),
  };
}
