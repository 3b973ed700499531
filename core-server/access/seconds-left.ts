/**
 * Whole seconds until a window is over. The limiter counts by the clock of the day and forgets a window by
 * a timer: where the clock was set back meanwhile, its rest is never longer than the window.
 */
export function secondsLeft(msBeforeNext: number, windowSeconds: number): number {
  return Math.min(Math.ceil(msBeforeNext / 1000), windowSeconds);
}
