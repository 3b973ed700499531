import type { Deadline } from '@grpc/grpc-js';

/** How far ahead of ours the caller's clock may be for a cancellation to count as its deadline. */
const slackMs = 100;

/** Follows the deadline of a call by a monotonic clock, so that changing the system clock ends no call early or late. */
export function followDeadline(deadline: Deadline) {
  const endsAt = performance.now() + Number(deadline) - Date.now();
  /** Milliseconds until then; Infinity without one. */
  const leftMs = (): number => endsAt - performance.now();
  /** Whether a cancellation now means that the deadline passed: the caller's side cancels then too, slightly early. */
  const isOver = (): boolean => leftMs() <= slackMs;
  return { leftMs, isOver };
}
