import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker, type Worker, type WorkerEvents, type WorkerPoolOptions } from './worker.js';

/** Longer than the process has to end: terminating a thread in native code kills it before it can say why it stops. */
const closeGraceMs = 30_000;

/** Keeps a number of workers running: a lost one is replaced. */
export function startSupervisor(options: WorkerPoolOptions, events: Omit<WorkerEvents, 'ready'>) {
  const { size, log } = options;
  const workers = new Set<Worker>();
  let lost = 0;
  let failedStarts = 0;
  /** Aborted when lost workers are not replaced any more. */
  const stopping = new AbortController();
  // Each lost worker listens.
  setMaxListeners(0, stopping.signal);
  let onReady!: () => void;
  let onFailedStart!: (error: Error) => void;
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve;
    onFailedStart = reject;
  });

  const count = (state: Worker['state']): number => [...workers].filter((worker) => worker.state === state).length;
  const countReady = (): number => count('free') + count('busy');

  const start = (): void => {
    let hasStarted = false;
    const worker = startWorker(options, {
      ...events,
      ready() {
        hasStarted = true;
        failedStarts = 0;
        onReady();
        events.free();
        startMore(2);
      },
      lost(job, error) {
        lost += 1;
        (job?.log ?? log)?.error({ err: error, task: job?.task }, 'worker lost');
        if (!hasStarted) {
          failedStarts += 1;
          onFailedStart(new Error('an analysis worker did not start', { cause: error }));
        }
        // At once, unless the last start failed: what cannot even start is not restarted in a tight loop.
        void sleep(restartDelayMs(failedStarts), undefined, { signal: stopping.signal }).then(start, () => undefined);
        events.lost(job, error);
      },
    });
    workers.add(worker);
    void worker.ended.then(() => workers.delete(worker));
  };

  let started = 0;
  const startMore = (count: number): void => {
    for (const end = Math.min(size, started + count); started < end && !stopping.signal.aborted; started += 1) start();
  };
  // Alone, the first is ready sooner: at the start, all else that loads wants the processors too. Each that is ready then
  // brings two more: many at once, on few processors, would all be given up as too slow, again and again.
  startMore(1);
  // Nobody may be waiting for it yet.
  ready.catch(() => undefined);
  return {
    /** All whose threads have not ended, also those that are gone. */
    workers: workers as ReadonlySet<Worker>,
    count,
    /** False if all are lost, and the last replacement did not start or there will be none. */
    get canWork() {
      const mayStart = failedStarts === 0 && (!stopping.signal.aborted || count('starting') > 0);
      return mayStart || countReady() > 0;
    },
    get lost() {
      return lost;
    },
    /** Resolves when the first worker has loaded its models; rejects with the error that prevented it. */
    ready,
    stopReplacing: () => stopping.abort(),
    /** Releases the sessions and ends the threads, including those of stuck workers; waits for hanging ones. */
    async close() {
      await Promise.all([...workers].map((worker) => worker.close(closeGraceMs)));
    },
  };
}

const firstRestartDelayMs = 100;
const maxRestartDelayMs = 30_000;

/** How long to wait before a worker is restarted, after this many consecutive failed starts. */
export function restartDelayMs(failedStarts: number): number {
  if (failedStarts === 0) return 0;
  return Math.min(maxRestartDelayMs, firstRestartDelayMs * 2 ** (failedStarts - 1));
}
