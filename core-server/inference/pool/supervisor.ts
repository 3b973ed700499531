import type { Job } from './job.js';
import { startWorker, type Worker, type WorkerEvents, type WorkerOptions } from './worker.js';

export interface SupervisorOptions extends WorkerOptions {
  /** Workers, 1 or more. */
  readonly size: number;
}

/** Events from the workers to whoever gives them work. */
export type SupervisorEvents = Pick<WorkerEvents, 'free' | 'reserve' | 'returned'> & {
  /** The worker is gone; its job, if any, has no result yet. */
  lost(worker: Worker, job: Job | undefined): void;
};

/** Keeps a number of workers running: a lost one is replaced. */
export interface Supervisor {
  /** Those that are free, busy or starting. */
  readonly workers: ReadonlySet<Worker>;
  count(state: Worker['state']): number;
  /** False if all are lost and the last replacement did not start. */
  readonly canWork: boolean;
  /** Workers lost since startup. */
  readonly lost: number;
  /** Resolves when every worker has loaded its models; rejects with the error that prevented it. */
  ready(): Promise<void>;
  /** Stops replacing workers. */
  stopReplacing(): void;
  /** Releases the sessions and ends the threads, including those of stuck workers; waits for hanging ones. */
  close(): Promise<void>;
}

const releaseGraceMs = 2_000;
/** Longer: terminating a thread while it opens its models kills the process, before it can say why it stops. */
const loadGraceMs = 30_000;

/** Starts the workers. */
export function startSupervisor(options: SupervisorOptions, events: SupervisorEvents): Supervisor {
  const { size, log } = options;
  const workers = new Set<Worker>();
  const running = new Set<Worker>();
  const restartTimers = new Set<NodeJS.Timeout>();
  const waitingForReady = new Set<{ resolve(): void; reject(error: unknown): void }>();
  let lost = 0;
  let failedStarts = 0;
  let startError: Error | undefined;
  let replaces = true;

  const count = (state: Worker['state']): number => [...workers].filter((worker) => worker.state === state).length;
  const countReady = (): number => count('free') + count('busy');
  const isReady = (): boolean => countReady() >= size;

  const start = (): void => {
    const worker = startWorker(options, { ...events, free: onFree, lost: onLost });
    workers.add(worker);
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
  };

  const onFree = (worker: Worker, jobMs?: number): void => {
    if (worker.jobsDone === 0) failedStarts = 0;
    if (isReady()) {
      for (const waiter of waitingForReady) waiter.resolve();
      waitingForReady.clear();
    }
    events.free(worker, jobMs);
  };

  const onLost = (worker: Worker, job: Job | undefined, error: unknown): void => {
    workers.delete(worker);
    lost += 1;
    log.error({ err: error, task: job?.task }, 'worker lost');
    if (!worker.hasStarted) {
      failedStarts += 1;
      startError = new Error('an analysis worker did not start', { cause: error });
      for (const waiter of waitingForReady) waiter.reject(startError);
      waitingForReady.clear();
    }
    if (replaces) restartLater();
    events.lost(worker, job);
  };

  const restartLater = (): void => {
    // A worker that served is replaced at once; one that cannot even start is not restarted in a tight loop.
    const timer = setTimeout(() => {
      restartTimers.delete(timer);
      start();
    }, restartDelayMs(failedStarts));
    restartTimers.add(timer);
  };

  for (let i = 0; i < size; i += 1) start();
  return {
    workers,
    count,
    get canWork() {
      return failedStarts === 0 || countReady() > 0;
    },
    get lost() {
      return lost;
    },
    ready: () =>
      new Promise((resolve, reject) => {
        if (isReady()) resolve();
        else if (startError !== undefined) reject(startError);
        else waitingForReady.add({ resolve, reject });
      }),
    stopReplacing() {
      replaces = false;
      for (const timer of restartTimers) clearTimeout(timer);
    },
    async close() {
      workers.clear();
      const graceOf = ({ hasStarted }: Worker) => (hasStarted ? releaseGraceMs : loadGraceMs);
      await Promise.all([...running].map((worker) => worker.close(graceOf(worker))));
    },
  };
}

const firstRestartDelayMs = 100;
const maxRestartDelayMs = 30_000;

/** How long to wait before a worker is restarted, after this many consecutive failed starts. */
export function restartDelayMs(failedStarts: number): number {
  if (failedStarts === 0) return 0;
  return Math.min(maxRestartDelayMs, firstRestartDelayMs * 2 ** Math.min(failedStarts - 1, 16));
}
