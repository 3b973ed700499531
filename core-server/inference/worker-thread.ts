import './no-telemetry.js';
import { Worker, type Transferable } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './messages.js';

/** What a worker thread tells its owner. After `exit` nothing more comes. */
export interface WorkerThreadEvents {
  message(message: FromWorker): void;
  exit(code: number, error: unknown): void;
}

/** One worker thread behind typed messages. */
export interface WorkerThread {
  send(message: ToWorker, transfer?: readonly Transferable[]): void;
  /**
   * Asks the thread to release what it holds, once it has done what it is at, and waits for its end,
   * by force after `graceMs`. Native code that is at work then takes the whole process with it: what
   * it throws when it comes back finds nobody.
   */
  close(graceMs: number): Promise<void>;
  /** The same for a thread that nobody waits for. */
  abandon(graceMs: number, onHung: () => void): void;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
}

/**
 * What a worker holds in JavaScript is little; the pixels outside the heap are freed only with the
 * objects that own them, and those wait for the next collection, which comes the later the more
 * room there is. 60 MB less for two workers than with Node's default, at the same speed.
 */
const maxYoungGenerationSizeMb = 6;
/**
 * A worker needs 9 MB, and 13 for the largest pictures. V8 lets garbage grow to about this limit before
 * it collects what is old: without one a worker held 100 MB after 50,000 pictures, with 64 it held 41
 * after 20,000.
 */
const maxOldGenerationSizeMb = 32;
/** A thread that still runs so long after it was ended by force is held by native code, which force does not reach. */
const hungAfterMs = 1_000;

export function startWorkerThread(
  options: { url: URL; workerData: unknown },
  events: WorkerThreadEvents,
): WorkerThread {
  const worker = new Worker(options.url, {
    workerData: options.workerData,
    name: 'analysis',
    resourceLimits: { maxYoungGenerationSizeMb, maxOldGenerationSizeMb },
  });
  let lastError: unknown;
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', (code) => {
      events.exit(code, lastError);
      resolve();
    });
  });
  worker.on('message', (message: FromWorker) => events.message(message));
  worker.on('error', (error) => {
    lastError = error;
  });
  // A message that cannot be read leaves a job without an answer: only a fresh worker helps.
  worker.on('messageerror', (error) => {
    lastError = error;
    void worker.terminate();
  });

  const send = (message: ToWorker, transfer: readonly Transferable[] = []): void =>
    worker.postMessage(message, transfer);
  let isAsked = false;
  const endWithin = async (graceMs: number, onHung?: () => void): Promise<void> => {
    if (!isAsked) send({ type: 'close' });
    isAsked = true;
    let timer = setTimeout(() => {
      void worker.terminate();
      if (onHung) timer = setTimeout(onHung, hungAfterMs);
    }, graceMs);
    await ended;
    clearTimeout(timer);
  };
  return {
    send,
    close: (graceMs) => endWithin(graceMs),
    abandon: (graceMs, onHung) => void endWithin(graceMs, onHung),
    ended,
  };
}
