import '../models/no-telemetry.js';
import { type Transferable, Worker } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.js';

/** Events from a worker thread to its owner. `exit` is the last one. */
interface WorkerThreadEvents {
  readonly message: (message: FromWorker) => void;
  readonly exit: (code: number, error: unknown) => void;
}

/**
 * A worker holds little in JavaScript. Pixels outside the heap are freed only with the objects that own them,
 * which wait for the next collection, and that comes later the more room there is. This saves 60 MB for two
 * workers compared to Node's default, at the same speed.
 */
const maxYoungGenerationSizeMb = 6;
/**
 * A worker needs 9 MB, or 13 for the largest pictures. V8 lets garbage grow to about this limit before it collects
 * the old generation: without a limit, a worker held 100 MB after 50,000 pictures, with 64 it held 41 after
 * 20,000.
 */
const defaultHeapMb = 32;
/** A thread still running this long after it was terminated is stuck in native code, which cannot be terminated. */
const hungAfterMs = 1_000;

/** One worker thread behind typed messages. */
export type WorkerThread = ReturnType<typeof startWorkerThread>;

export function startWorkerThread(
  options: { workerUrl: URL; workerData: unknown; heapMb?: number },
  events: WorkerThreadEvents,
) {
  const worker = new Worker(options.workerUrl, {
    workerData: options.workerData,
    name: 'analysis',
    resourceLimits: {
      maxYoungGenerationSizeMb,
      maxOldGenerationSizeMb: options.heapMb ?? defaultHeapMb,
    },
  });
  let lastError: unknown;
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      events.exit(code, lastError);
      resolve();
    });
  });
  worker.on('message', events.message);
  worker.on('error', (error) => (lastError = error));
  // A message that cannot be read leaves a job without a result: only a new worker helps.
  worker.on('messageerror', (error) => {
    lastError = error;
    void worker.terminate();
  });

  const send = (message: ToWorker, transfer: readonly Transferable[] = []): void =>
    worker.postMessage(message, transfer);
  let isAsked = false;
  return {
    send,
    /**
     * Asks the thread to release its resources once it has finished its job, and waits for it to end, by force after
     * `graceMs`. If native code is running then, it takes down the whole process: nothing catches what it throws
     * on returning.
     *
     * @param onHung called if it cannot be ended
     */
    async close(graceMs: number, onHung?: () => void): Promise<void> {
      if (!isAsked) send({ type: 'close' });
      isAsked = true;
      let timer = setTimeout(() => {
        void worker.terminate();
        if (onHung) timer = setTimeout(onHung, hungAfterMs);
      }, graceMs);
      await ended;
      clearTimeout(timer);
    },
    /** Resolves when the thread has ended. */
    ended,
  };
}
