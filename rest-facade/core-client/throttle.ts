import { LRUCache } from 'lru-cache';
import { asRefusal, type Refusal } from '../../runtime/errors/refusal.js';

/** How often a caller at its limit may try one more, to find out whether the core accepts more by now. */
const tryAgainMs = 100;
/** How long after it was last reached a caller's limit is dropped. */
const forgetMs = 1_000;
/** Callers remembered at once, some 5 MB; of more, those not seen for the longest time are asked for anew. */
const maxCallers = 10_000;

/** One caller's work that was passed on and is not answered yet. */
interface Window {
  underWay: number;
  /** How much of it the core had when it accepted no more. */
  limit: number;
  lastRefusal: Refusal | undefined;
  /** When it was last at its limit and the core was asked anyway. */
  triedAt: number;
}

export type Throttle = ReturnType<typeof createThrottle>;

/**
 * Passes work on to the core, or refuses it before its body is read if the core would very likely refuse it too: in a
 * flood, reading bodies only to learn that the queue is full would take the time that responses need.
 *
 * It has a window, as in TCP: the amount in flight when the core refused one more is what it accepts from this
 * caller, so from then on, one more is passed on for each that is answered. The core itself is asked about
 * ten times per second.
 *
 * @param deps.now monotonic, milliseconds
 */
export function createThrottle({ now }: { now: () => number }) {
  const windows = new LRUCache<string, Window>({ max: maxCallers });

  /** The refusal that the core would very likely send; undefined if it may accept the work. */
  const foresee = (window: Window): Refusal | undefined => {
    const { underWay, limit, lastRefusal, triedAt } = window;
    if (now() - triedAt >= forgetMs) window.limit = Infinity;
    else if (underWay >= limit) {
      if (now() - triedAt < tryAgainMs) return lastRefusal;
      window.triedAt = now();
      window.limit = underWay + 1;
    }
    return undefined;
  };

  return {
    /**
     * @param caller whose work it is; callers are counted separately
     * @throws Refusal by the work itself, or the last QUEUE_FULL for this caller
     */
    async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
      const window = windows.get(caller) ?? { underWay: 0, limit: Infinity, lastRefusal: undefined, triedAt: 0 };
      const foreseen = foresee(window);
      if (foreseen !== undefined) throw foreseen;
      window.underWay += 1;
      windows.set(caller, window);
      try {
        return await work();
      } catch (caught) {
        const refusal = asRefusal(caught);
        if (refusal.reason === 'QUEUE_FULL') {
          window.limit = window.underWay - 1;
          window.lastRefusal = refusal;
          window.triedAt = now();
        }
        throw refusal;
      } finally {
        window.underWay -= 1;
      }
    },
  };
}
