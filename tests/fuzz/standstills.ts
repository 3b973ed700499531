/** Knows when everything here stood still: stopped by a signal, or the machine asleep. */
interface StandstillCounter {
  /** Does the action, and does it again when it fell into a standstill: its time-outs went on meanwhile. */
  repeatAfter<T>(action: () => Promise<T>): Promise<T>;
}

const tickMs = 1_000;
/** An event loop that is merely busy is late by less. */
const standstillMs = 5_000;

export function createStandstillCounter(now: () => number = () => performance.now()): StandstillCounter {
  let standstills = 0;
  let seenAt = now();
  // What waits in the event loop after a standstill may be answers or the timer, in any order.
  const count = (): number => {
    const at = now();
    if (at - seenAt > standstillMs) standstills += 1;
    seenAt = at;
    return standstills;
  };
  setInterval(count, tickMs).unref();
  return {
    async repeatAfter<T>(action: () => Promise<T>): Promise<T> {
      for (;;) {
        const before = count();
        const result = await action();
        if (count() === before) return result;
      }
    },
  };
}
