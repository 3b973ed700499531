/** Longer than a busy machine keeps a process that may run from running. */
const stoppedMs = 5_000;
const lookEveryMs = 500;

/** Time in which this process ran: while it is stopped (SIGSTOP), it can take no answers. */
export interface RunningTime {
  /** Milliseconds. */
  now(): number;
  /** How often the process was stopped. */
  stops(): number;
  /** Aborted after so much of this time, with a TimeoutError; clear it when done. */
  limit(ms: number): { readonly signal: AbortSignal; readonly clear: () => void };
}

export function createRunningTime(clock = () => performance.now()): RunningTime {
  let stops = 0;
  let lostMs = 0;
  let lastMs = clock();

  const now = (): number => {
    const nowMs = clock();
    if (nowMs - lastMs > stoppedMs) {
      stops += 1;
      lostMs += nowMs - lastMs;
    }
    lastMs = nowMs;
    return nowMs - lostMs;
  };
  setInterval(now, lookEveryMs).unref();

  return {
    now,
    stops() {
      now();
      return stops;
    },
    limit(ms) {
      const controller = new AbortController();
      const endsAt = now() + ms;
      const timer = setInterval(() => {
        if (now() < endsAt) return;
        controller.abort(new DOMException(`${ms} ms are over`, 'TimeoutError'));
      }, lookEveryMs);
      return { signal: controller.signal, clear: () => clearInterval(timer) };
    },
  };
}
