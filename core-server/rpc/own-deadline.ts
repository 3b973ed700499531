import type { Deadline } from '@grpc/grpc-js';

/** How far ahead of ours the caller's clock may be for a cancellation to count as its deadline. */
const slackMs = 100;

/** The deadline that a call came with. */
export interface OwnDeadline {
  /** Milliseconds until then; Infinity without one. */
  leftMs(): number;
  /** Whether a cancellation now means that the deadline passed: the caller's side cancels then too, slightly early. */
  isOver(): boolean;
}

/** Follows a deadline by a monotonic clock, so that changing the system clock ends no call early or late. */
export function followDeadline(deadline: Deadline, now: () => number): OwnDeadline {
  const endsAt = now() + Number(deadline) - Date.now();
  const leftMs = () => endsAt - now();
  return { leftMs, isOver: () => leftMs() <= slackMs };
}
