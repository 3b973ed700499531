import { createFairQueue, queueFull } from './fair-queue.js';

export interface SemaphoreLimits {
  readonly maxRunning: number;
  /** For all owners together; a single one gets four fifths of it. */
  readonly maxWaiting: number;
  /** For how long, milliseconds; absent: for as long as their callers do. */
  readonly maxWaitMs?: number | undefined;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

export type Semaphore = ReturnType<typeof createSemaphore>;

/** Limits how much of one kind of expensive work runs and waits at a time. @param name of its queue, for refusals */
export function createSemaphore(name: string, { maxRunning, maxWaiting, maxWaitMs }: SemaphoreLimits) {
  const queue = createFairQueue<Waiting>(maxWaiting, ({ owner }) => owner);
  let running = 0;
  // The same for all: thousands may be late at once, and a stack trace costs more than all else about them.
  const late = new Error(`${name} was not free in time`);

  const waitForTurn = (owner: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (reason: Error): void => {
        queue.remove(waiting);
        reject(reason);
      };
      const timer = maxWaitMs === undefined ? undefined : setTimeout(leave, maxWaitMs, late);
      const waiting: Waiting = {
        owner,
        begin() {
          clearTimeout(timer);
          resolve();
        },
      };
      queue.add(waiting);
      // Once its turn has come, this has no effect.
      signal?.addEventListener('abort', () => leave(signal.reason as Error), { once: true });
    });

  return {
    /**
     * Runs the task when its turn comes; owners take turns. If the signal aborts, work that waits never starts, and the
     * result of work under way is dropped: nothing may follow from it once its caller has been answered.
     *
     * @param owner on whose behalf it is done
     * @throws Refusal QUEUE_FULL when too many of this owner, or of all, wait already; `signal.reason` when aborted;
     * Error when its turn does not come in time.
     */
    async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted();
      if (running < maxRunning) {
        running += 1;
      } else if (queue.hasRoom(owner)) {
        await waitForTurn(owner, signal); // the finished one hands over its place: `running` is unchanged
      } else {
        const ahead = queue.aheadOf(owner);
        throw queueFull(name, ahead, ahead, 1);
      }
      try {
        const result = await task();
        signal?.throwIfAborted();
        return result;
      } finally {
        const next = queue.take();
        if (next) next.begin();
        else running -= 1;
      }
    },
  };
}
