import { ServiceError } from '../errors.js';

export interface WorkLimiter {
  /**
   * Runs the task when it is its turn. Work whose signal aborts while it waits never begins.
   *
   * @throws ServiceError QUEUE_FULL when too many wait already; `signal.reason` when aborted.
   */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export interface WorkLimits {
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

/** Bounds how much of one kind of costly work runs and waits at a time, first come first served. */
export function createWorkLimiter({ maxRunning, maxWaiting }: WorkLimits): WorkLimiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal?.reason as Error);
      };
      waiting.push(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  return {
    async run(task, signal) {
      signal?.throwIfAborted();
      if (running < maxRunning) {
        running += 1;
      } else if (waiting.length < maxWaiting) {
        await waitForTurn(signal); // the one that ends hands its place over: `running` stays
      } else {
        throw new ServiceError(
          'QUEUE_FULL',
          `the queue for passwords has ${waiting.length} waiting and room for ${maxWaiting}, try again in 1 s`,
          {
            details: { value: String(waiting.length), limit: String(maxWaiting) },
            retryAfterSeconds: 1,
          },
        );
      }
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
