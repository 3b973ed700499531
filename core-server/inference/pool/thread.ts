import '../models/no-telemetry.js';
import './no-temporary-files.js';
import { Worker as Thread } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.js';

/**
 * A worker holds little in JavaScript. Pixels outside the heap are freed only with the objects that own them,
 * which wait for the next collection, and that comes later the more room there is. This saves 60 MB for two
 * workers compared to Node's default, at the same speed.
 */
const maxYoungGenerationSizeMb = 6;
/** A thread still running this long after it was terminated is stuck in native code, which cannot be terminated. */
const hungAfterMs = 1_000;

/** The thread of a worker. */
export function startThread(
  { workerUrl, workerData, heapMb = 32 }: { workerUrl: URL; workerData?: unknown; heapMb?: number },
  onMessage: (message: FromWorker) => void,
) {
  const thread = new Thread(workerUrl, {
    workerData,
    name: 'analysis',
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb: heapMb },
  });
  const send = (message: ToWorker): void => thread.postMessage(message);
  let isAskedToEnd = false;
  let lastError: unknown;
  thread.on('message', onMessage);
  thread.on('error', (error) => (lastError = error));
  const ended = new Promise<unknown>((resolve) => {
    thread.once('exit', (code) => resolve(lastError ?? new Error(`worker ended with exit code ${code}`)));
  });

  return {
    send,
    /** Resolves with the reason when it has ended. */
    ended,
    /**
     * Asks it to release its resources once it has finished its job, and waits for it to end, by force after `graceMs`.
     * If native code is running then, it takes down the whole process: nothing catches what it throws on returning.
     *
     * @param whenHung called if it cannot be ended
     */
    async end(graceMs: number, whenHung?: () => void): Promise<void> {
      if (!isAskedToEnd) send({ type: 'close' });
      isAskedToEnd = true;
      let force = setTimeout(() => {
        void thread.terminate();
        if (whenHung) force = setTimeout(whenHung, hungAfterMs);
      }, graceMs);
      await ended;
      clearTimeout(force);
    },
  };
}
