import type { Deadline } from '@grpc/grpc-js';

/** How far ahead of ours the caller's clock may be for a cancellation to count as its deadline. */
const slackMs = 100;

/** The deadline that a call came with. */
export interface OwnDeadline {
  /** Milliseconds until then; Infinity without one. */
  leftMs(): number;
  /** Whether a cancellation now is the deadline, which arrives as one too, from the caller's side a little early. */
  isOver(): boolean;
}

/** Follows a deadline by a monotonic clock: one that is set meanwhile ends no call early and none late. */
export function followDeadline(deadline: Deadline, now: () => number): OwnDeadline {
  const endsAt = now() + Number(deadline) - Date.now();
  const leftMs = () => endsAt - now();
  return { leftMs, isOver: () => leftMs() <= slackMs };
}
