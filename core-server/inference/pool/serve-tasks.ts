import { parentPort } from 'node:worker_threads';
import { type FromWorker, toWireError, type ToWorker } from './messages.js';
import type { TaskMap } from './worker-pool.js';

type RunMessage = Extract<ToWorker, { type: 'run' }>;

/** A job as its task sees it. */
export interface RunningJob {
  /** Aborted when the caller is gone: check it between steps. */
  readonly signal: AbortSignal;
  /** Whether a second thread may share the work. */
  readonly hasSpareCore: boolean;
}

type TaskHandlers<T extends TaskMap> = {
  readonly [K in keyof T]: (input: T[K]['input'], job: RunningJob) => Promise<T[K]['output']>;
};

/**
 * The worker's side of the pool: reports that it is ready, runs one job at a time, and on `close` releases its
 * resources and lets the thread end. If a task throws, only that job fails.
 */
export function serveTasks<T extends TaskMap>(options: {
  handlers: TaskHandlers<T>;
  /**
   * For jobs that need so much memory that not every worker may have one: the share of the memory of all workers, 0 to 1.
   * A job with one waits until it has it, and is not weighed again.
   */
  weigh?(input: T[keyof T]['input']): number;
  release(): Promise<void>;
}): void {
  const send = (message: FromWorker): void => parentPort?.postMessage(message);
  let current: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async ({ task, input, weight: reserved, hasSpareCore }: RunMessage): Promise<void> => {
    const { signal } = (current = new AbortController());
    // Measured here: while the main thread is busy with something else, jobs take no longer.
    const startedAt = performance.now();
    const jobMs = (): number => performance.now() - startedAt;
    try {
      const weight = reserved > 0 ? 0 : (options.weigh?.(input) ?? 0);
      if (weight > 0) return send({ type: 'returned', weight });
      const handler = options.handlers[task] as TaskHandlers<T>[string];
      const output = await handler(input, { signal, hasSpareCore });
      send({ type: 'done', output, jobMs: jobMs() });
    } catch (error) {
      send({ type: 'failed', error: toWireError(error), jobMs: jobMs() });
    }
  };

  parentPort?.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'run':
        running = run(message);
        return;
      case 'cancel':
        current?.abort();
        return;
      case 'close':
        // Models that are at work for a job that took too long are released after it. An error here
        // ends the thread too, which is what was asked for.
        current?.abort();
        void running.then(() => options.release()).finally(() => parentPort?.close());
    }
  });
  send({ type: 'ready' });
}
