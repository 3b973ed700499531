import { type Refusal, refuse } from '../../runtime/refusal.js';
import { createJobQueue } from '../queue/job-queue.js';

export interface WorkLimiter {
  /**
   * Runs the task when it is its turn; owners take turns. Work whose signal aborts while it waits never
   * begins.
   *
   * @param owner on whose behalf it is done
   * @throws Refusal QUEUE_FULL when too many of this owner, or of all, wait already;
   * `signal.reason` when aborted.
   */
  run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface WorkLimits {
  readonly maxRunning: number;
  /** Of all owners together; one alone has four fifths of it. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/** Bounds how much of one kind of costly work runs and waits at a time. */
export function createWorkLimiter({ maxRunning, maxWaiting }: WorkLimits): WorkLimiter {
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
    // Where its owner has all the places that it may have, there is room for those alone.
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
        await waitForTurn(owner, signal); // the one that ends hands its place over: `running` stays
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
