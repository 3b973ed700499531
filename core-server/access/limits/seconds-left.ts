/**
 * Whole seconds until the end of a window. The limiter counts by the system clock and drops a window with a
 * timer: if the clock was set back meanwhile, the rest is never longer than the window.
 */
export function secondsLeft(msBeforeNext: number, windowSeconds: number): number {
  return Math.min(Math.ceil(msBeforeNext / 1000), windowSeconds);
}
