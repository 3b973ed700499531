const firstRestartDelayMs = 100;
const maxRestartDelayMs = 30_000;
const maxRetryAfterSeconds = 60;

/** How long to wait before a worker is restarted, after this many consecutive failed starts. */
export function restartDelayMs(failedStarts: number): number {
  if (failedStarts === 0) return 0;
  return Math.min(maxRestartDelayMs, firstRestartDelayMs * 2 ** Math.min(failedStarts - 1, 16));
}

/** Whole seconds, 1 to 60, until the jobs now in the queue will be done. */
export function retryAfterSeconds(load: {
  queued: number;
  workers: number;
  meanJobMs: number;
}): number {
  const seconds = Math.ceil((load.queued * load.meanJobMs) / load.workers / 1000);
  return Math.min(maxRetryAfterSeconds, Math.max(1, seconds));
}
