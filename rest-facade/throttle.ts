import { Refusal } from '../runtime/refusal.js';

/**
 * Passes work on to the core, or refuses it at once where the core would very likely refuse it too,
 * before its body is read: under a flood, reading bodies only to hear that the queue is full would take
 * the time that answers need.
 */
export interface Throttle {
  /**
   * @param caller whose work it is; callers do not count for each other
   * @throws Refusal of the work, or the last QUEUE_FULL that this caller got
   */
  run<T>(caller: string, work: () => Promise<T>): Promise<T>;
}

/** At its limit a caller may try one more so often, to find out whether the core takes more by now. */
const tryAgainMs = 100;
/** So long after it was last at its limit a caller has none any more. */
const forgetMs = 1_000;

/** The work of one caller that was passed on and is not answered yet. */
interface Window {
  underWay: number;
  /** How much the core had of it when it took no more. */
  limit: number;
  lastRefusal: Refusal | undefined;
  /** When it last was at its limit and the core was asked all the same. */
  triedAt: number;
}

/**
 * A window as TCP has one: what was under way when the core refused one more is what it takes from this
 * caller, so from then on one more is passed on for each that is answered. The core itself is asked
 * about ten times a second.
 *
 * @param deps.now monotonic, milliseconds
 */
export function createThrottle({ now }: { now: () => number }): Throttle {
  const windows = new Map<string, Window>();

  const isLimited = ({ lastRefusal, triedAt }: Window): boolean =>
    lastRefusal !== undefined && now() - triedAt < forgetMs;
  const isOver = (window: Window): boolean => window.underWay === 0 && !isLimited(window);

  const find = (caller: string): Window => {
    const found = windows.get(caller);
    if (found !== undefined) return found;
    for (const [other, window] of windows) if (isOver(window)) windows.delete(other);
    const window: Window = {
      underWay: 0,
      limit: Infinity,
      lastRefusal: undefined,
      triedAt: 0,
    };
    windows.set(caller, window);
    return window;
  };

  /** The refusal that the core would very likely give; undefined where it may take the work. */
  const foresee = (window: Window): Refusal | undefined => {
    const { underWay, limit, lastRefusal, triedAt } = window;
    if (!isLimited(window)) window.limit = Infinity;
    else if (underWay >= limit) {
      if (now() - triedAt < tryAgainMs) return lastRefusal;
      window.triedAt = now();
      window.limit = underWay + 1;
    }
    return undefined;
  };

  return {
    async run(caller, work) {
      const window = find(caller);
      const foreseen = foresee(window);
      if (foreseen !== undefined) throw foreseen;
      window.underWay += 1;
      try {
        return await work();
      } catch (caught) {
        const refusal = Refusal.from(caught);
        if (refusal.reason === 'QUEUE_FULL') {
          window.limit = window.underWay - 1;
          window.lastRefusal = refusal;
          window.triedAt = now();
        }
        throw refusal;
      } finally {
        window.underWay -= 1;
        if (isOver(window)) windows.delete(caller);
      }
    },
  };
}
