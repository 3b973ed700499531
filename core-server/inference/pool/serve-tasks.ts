import type { MessagePort } from 'node:worker_threads';
import { type FromWorker, toWireError, type ToWorker } from './messages.js';
import type { TaskMap } from './worker-pool.js';

type RunMessage = Extract<ToWorker, { type: 'run' }>;

/**
 * The tasks of a worker. The signal is aborted when the caller is gone: check it between steps. With a spare core, a
 * second thread may share the work.
 */
export type TaskHandlers<T extends TaskMap> = {
  readonly [K in keyof T]: (
    input: T[K]['input'],
    signal: AbortSignal,
    hasSpareCore: boolean,
  ) => Promise<T[K]['output']>;
};

/**
 * The worker's side of the pool: reports that it is ready, runs one job at a time, and on `close` releases its
 * resources and lets the thread end. If a task throws, only that job fails.
 */
export function serveTasks<T extends TaskMap>(options: {
  port: MessagePort;
  handlers: TaskHandlers<T>;
  release(): Promise<void>;
}): void {
  const { port, handlers } = options;
  const send = (message: FromWorker): void => port.postMessage(message);
  let current: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async ({ task, input, hasSpareCore }: RunMessage): Promise<void> => {
    const abort = new AbortController();
    current = abort;
    try {
      const handler = Object.hasOwn(handlers, task) ? handlers[task] : undefined;
      if (handler === undefined) throw new Error(`no handler for the task ${task}`);
      send({ type: 'done', output: await handler(input, abort.signal, hasSpareCore) });
    } catch (error) {
      send({ type: 'failed', error: toWireError(error) });
    } finally {
      current = undefined;
    }
  };

  port.on('message', (message: ToWorker) => {
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
        void running.then(() => options.release()).finally(() => port.close());
    }
  });
  send({ type: 'ready' });
}
