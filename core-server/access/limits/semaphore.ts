import { createFairQueue, queueFull } from '../../common/fair-queue.js';

export interface SemaphoreLimits {
  readonly maxRunning: number;
  /** For all owners together; a single one gets four fifths of it. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

export type Semaphore = ReturnType<typeof createSemaphore>;

/** Limits how much of one kind of expensive work runs and waits at a time. @param name of its queue, for refusals */
export function createSemaphore(name: string, { maxRunning, maxWaiting }: SemaphoreLimits) {
  const queue = createFairQueue<Waiting>(maxWaiting, ({ owner }) => owner);
  let running = 0;

  const waitForTurn = (owner: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiting: Waiting = { owner, begin: resolve };
      queue.add(waiting);
      // Once its turn has come, both have no effect.
      const leave = (): void => {
        queue.remove(waiting);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
    });

  return {
    /**
     * Runs the task when its turn comes; owners take turns. If the signal aborts, work that waits never starts, and the
     * result of work under way is dropped: nothing may follow from it once its caller has been answered.
     *
     * @param owner on whose behalf it is done
     * @throws Refusal QUEUE_FULL when too many of this owner, or of all, wait already; `signal.reason` when aborted.
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
