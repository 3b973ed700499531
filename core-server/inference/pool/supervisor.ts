import type { Job } from './job.js';
import { restartDelayMs } from './timing.js';
import { type JobWorker, type JobWorkerOptions, startJobWorker } from './worker.js';

export interface WorkerCrewOptions extends JobWorkerOptions {
  /** Workers, 1 or more. */
  readonly size: number;
}

/** Events from the crew to whoever gives it work. */
export interface WorkerCrewEvents {
  /** The worker can take a job: after startup and after each job. */
  free(worker: JobWorker): void;
  /** The worker is gone; its job, if any, has no result yet. */
  lost(worker: JobWorker, job: Job | undefined): void;
}

/** Keeps a number of workers running: a lost one is replaced. */
export interface WorkerCrew {
  /** Those that are free, busy or starting. */
  readonly workers: ReadonlySet<JobWorker>;
  count(state: JobWorker['state']): number;
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
export function startWorkerCrew(options: WorkerCrewOptions, events: WorkerCrewEvents): WorkerCrew {
  const { size, log } = options;
  const workers = new Set<JobWorker>();
  const running = new Set<JobWorker>();
  const restartTimers = new Set<NodeJS.Timeout>();
  const waitingForReady = new Set<{ resolve(): void; reject(error: unknown): void }>();
  let lost = 0;
  let failedStarts = 0;
  let startError: Error | undefined;
  let replaces = true;

  const count = (state: JobWorker['state']): number =>
    [...workers].filter((worker) => worker.state === state).length;
  const countReady = (): number => count('free') + count('busy');
  const isReady = (): boolean => countReady() >= size;

  const start = (): void => {
    const worker = startJobWorker(options, { free: onFree, lost: onLost });
    workers.add(worker);
    running.add(worker);
    void worker.ended.then(() => running.delete(worker));
  };

  const onFree = (worker: JobWorker): void => {
    if (worker.jobsDone === 0) failedStarts = 0;
    if (isReady()) {
      for (const waiter of waitingForReady) waiter.resolve();
      waitingForReady.clear();
    }
    events.free(worker);
  };

  const onLost = (worker: JobWorker, job: Job | undefined, error: unknown): void => {
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
      const graceOf = ({ hasStarted }: JobWorker) => (hasStarted ? releaseGraceMs : loadGraceMs);
      await Promise.all([...running].map((worker) => worker.close(graceOf(worker))));
    },
  };
}
