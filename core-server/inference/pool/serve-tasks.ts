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
  /**
   * For jobs that need so much memory that not every worker may have one: throws if this share of the memory of all
   * workers, 0 to 1, is more than nothing, and the job starts anew once it has it, without finding out again.
   */
  reserve(findShare: () => number): void;
}

type TaskHandlers<T extends TaskMap> = {
  readonly [K in keyof T]: (input: T[K]['input'], job: RunningJob) => Promise<T[K]['output']>;
};

/** Thrown into a job that has to begin with more memory. */
class NeedsMemory extends Error {
  constructor(readonly weight: number) {
    super();
  }
}

/**
 * The worker's side of the pool: reports that it is ready, runs one job at a time, and on `close` releases its
 * resources and lets the thread end. If a task throws, only that job fails.
 */
export function serveTasks<T extends TaskMap>(options: { handlers: TaskHandlers<T>; release(): Promise<void> }): void {
  const send = (message: FromWorker): void => parentPort?.postMessage(message);
  let current: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async ({ task, input, weight: reserved, hasSpareCore }: RunMessage): Promise<void> => {
    const { signal } = (current = new AbortController());
    // Measured here: while the main thread is busy with something else, jobs take no longer.
    const startedAt = performance.now();
    const jobMs = (): number => performance.now() - startedAt;
    const reserve = (findShare: () => number): void => {
      const weight = reserved > 0 ? 0 : findShare();
      if (weight > 0) throw new NeedsMemory(weight);
    };
    try {
      const handler = options.handlers[task] as TaskHandlers<T>[string];
      const output = await handler(input, { signal, hasSpareCore, reserve });
      send({ type: 'done', output, jobMs: jobMs() });
    } catch (error) {
      if (error instanceof NeedsMemory) send({ type: 'returned', weight: error.weight });
      else send({ type: 'failed', error: toWireError(error), jobMs: jobMs() });
    } finally {
      current = undefined;
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
