import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { createJobQueue } from '../../common/fair-queue.js';

export interface Semaphore {
  /**
   * Runs the task when its turn comes; owners take turns. Work whose signal aborts while waiting never
   * starts.
   *
   * @param owner on whose behalf it is done
   * @throws Refusal QUEUE_FULL when too many of this owner, or of all, wait already;
   * `signal.reason` when aborted.
   */
  run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface SemaphoreLimits {
  readonly maxRunning: number;
  /** For all owners together; a single one gets four fifths of it. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/** Limits how much of one kind of expensive work runs and waits at a time. */
export function createSemaphore({ maxRunning, maxWaiting }: SemaphoreLimits): Semaphore {
  const queue = createJobQueue<Waiting>(maxWaiting, ({ owner }) => owner);
  let running = 0;

  function waitForTurn(owner: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        begin() {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        queue.remove(waiting);
        reject(signal?.reason as Error);
      };
      queue.add(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  function queueFull(owner: string): Refusal {
    // If its owner has used all its places, there is room only for those.
    const ahead = String(queue.aheadOf(owner));
    return refuse(
      'QUEUE_FULL',
      `the queue for passwords has ${ahead} ahead of this request and room for ${ahead}, try again in 1 s`,
      { details: { value: ahead, limit: ahead }, retryAfterSeconds: 1 },
    );
  }

  return {
    async run(owner, task, signal) {
      signal?.throwIfAborted();
      if (running < maxRunning) {
        running += 1;
      } else if (queue.hasRoom(owner)) {
        await waitForTurn(owner, signal); // the finished one hands over its place: `running` is unchanged
      } else {
        throw queueFull(owner);
      }
      try {
        return await task();
      } finally {
        const next = queue.take();
        if (next) next.begin();
        else running -= 1;
      }
    },
  };
}
