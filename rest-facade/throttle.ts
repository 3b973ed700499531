import { Refusal } from './errors.js';

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

/** Counts reach back between one and two of these: soon after a flood all work is passed on again. */
const spanMs = 250;
/** The core gets so many times the work that it takes on: enough to find out that it takes more. */
const surplus = 1.5;
/** So many refusals in that time lead to none here: they cost little. */
const free = 3;

/** Work that was taken on by the core, and work that was refused there or here. */
interface Count {
  taken: number;
  refused: number;
}

interface Line {
  lastRefusal: Refusal;
  spanEndsAt: number;
  now: Count;
  before: Count;
}

const nothing = (): Count => ({ taken: 0, refused: 0 });

/**
 * Adaptive throttling as in Site Reliability Engineering (Beyer et al., 2016), chapter 21: the more a
 * caller asks beyond what is taken on, the larger the share that is refused here. A caller is followed
 * from its first QUEUE_FULL until it is quiet.
 *
 * @param deps.now monotonic, milliseconds
 * @param deps.random from 0 to 1
 */
export function createThrottle(deps: { now: () => number; random: () => number }): Throttle {
  const lines = new Map<string, Line>();

  const find = (caller: string): Line | undefined => {
    const line = lines.get(caller);
    if (line === undefined) return undefined;
    const lateMs = deps.now() - line.spanEndsAt;
    if (lateMs >= 0) {
      line.before = lateMs < spanMs ? line.now : nothing();
      line.now = nothing();
      line.spanEndsAt = deps.now() + spanMs;
    }
    return line;
  };

  const follow = (caller: string, lastRefusal: Refusal): void => {
    const line = find(caller);
    if (line !== undefined) {
      line.lastRefusal = lastRefusal;
      return;
    }
    const now = deps.now();
    for (const [other, { spanEndsAt }] of lines)
      if (now - spanEndsAt >= spanMs) lines.delete(other);
    lines.set(caller, {
      lastRefusal,
      spanEndsAt: now + spanMs,
      now: nothing(),
      before: nothing(),
    });
  };

  const count = (caller: string, what: keyof Count): void => {
    const line = find(caller);
    if (line !== undefined) line.now[what] += 1;
  };

  /** The share that the core need not see. */
  const shareToRefuse = ({ before, now }: Line): number => {
    const taken = before.taken + now.taken;
    const all = taken + before.refused + now.refused;
    return (all - surplus * taken - free) / (all + 1);
  };

  return {
    async run(caller, work) {
      const line = find(caller);
      if (line !== undefined && deps.random() < shareToRefuse(line)) {
        count(caller, 'refused');
        throw line.lastRefusal;
      }
      let refusal: Refusal | undefined;
      try {
        return await work();
      } catch (caught) {
        throw (refusal = Refusal.from(caught));
      } finally {
        const isFull = refusal?.reason === 'QUEUE_FULL';
        if (isFull && refusal) follow(caller, refusal);
        count(caller, isFull ? 'refused' : 'taken');
      }
    },
  };
}
