import { type Refusal, refuse, shuttingDown } from '../../../runtime/errors/refusal.js';
import { watchProcessors } from '../../../runtime/process/watch-processors.js';
import type { Call } from '../../common/call.js';
import { createFairQueue } from '../../common/fair-queue.js';
import { createAdmission } from './admission.js';
import { memoryInTurn } from './memory-in-turn.js';
import { startSupervisor } from './supervisor.js';
import type { Job, WorkerPoolOptions } from './worker.js';

/** Names of the tasks with what goes in and comes out; both cross a thread border (structured clone). */
export type TaskMap = Record<string, { input: unknown; output: unknown }>;

/**
 * For which call a job is done. Aborted, a queued job never reaches a worker and a running job's result is discarded.
 * The keys of calls take turns, those first that have the fewest jobs in workers, and none takes all places; a job
 * unlikely to be done in time is refused.
 */
export type RunOptions = Pick<Call, 'signal'> & Partial<Call>;

/** Threads that each do one job at a time, behind one bounded queue. */
export type WorkerPool<T extends TaskMap> = ReturnType<typeof createWorkerPool<T>>;
export type PoolStats = WorkerPool<TaskMap>['stats'];

const maxAttempts = 2;

/**
 * Two threads that share a picture wait for each other by spinning: where they do not run at once, they are slower than
 * one. Others may use so much of the processors for that to pay: the facade and its caller take a quarter of one.
 */
const maxUsedByOthers = 0.35;

function noWorker(cause: unknown): Refusal {
  return refuse('WORKER_LOST', 'the analysis has no worker left, try again', { cause });
}

export function createWorkerPool<T extends TaskMap>(options: WorkerPoolOptions) {
  const { size, maxQueue, leftProcessors = watchProcessors() } = options;
  const queue = createFairQueue<Job>(maxQueue, (job) => job.owner);
  const jobsInWorkers = (): Job[] => [...supervisor.workers].flatMap(({ job }) => job ?? []);
  const hasJob = (owner: string): boolean => queue.hasAny(owner) || jobsInWorkers().some((job) => job.owner === owner);
  const admission = createAdmission({ queue, maxQueue, workers: size, hasJob });
  let onDrained: (() => void) | undefined;
  let watcher: ((canWork: boolean) => void) | undefined;
  let couldWork = true;
  let lastLoss: unknown;
  let closing = false;

  const supervisor = startSupervisor(options, {
    free(jobMs) {
      if (jobMs !== undefined) admission.jobDone(jobMs);
      tellWatcher();
      dispatch();
    },
    returned(job) {
      if (!job.signal.aborted) queue.putBack(job);
    },
    lost(job, error) {
      lastLoss = error;
      if (job !== undefined && !job.signal.aborted) {
        if (job.attemptsLeft > 0) queue.putBack(job);
        else job.reject(refuse('WORKER_LOST', 'the analysis lost its worker, try again', { cause: error }));
      }
      tellWatcher();
      dismiss();
      dispatch();
    },
  });

  /** Where nobody will work, another core may: here, what waits would do so until its deadlines. */
  const dismiss = (): void => {
    if (!supervisor.canWork) for (const waiting of queue.clear()) waiting.reject(noWorker(lastLoss));
  };

  const tellWatcher = (): void => {
    if (supervisor.canWork === couldWork) return;
    couldWork = supervisor.canWork;
    watcher?.(couldWork);
  };

  /** Each job that runs, and one more, has an idle worker beside it, and a second processor. */
  const hasSpareCore = (): boolean => {
    const jobs = supervisor.count('busy') + 1;
    // Where it is not known what is left, all is.
    return supervisor.count('free') >= jobs + 1 && !(leftProcessors() < 2 * jobs - maxUsedByOthers);
  };

  const dispatch = (): void => {
    for (const worker of supervisor.workers) {
      if (worker.state !== 'free') continue;
      const jobs = jobsInWorkers();
      const owners = new Map<string, number>();
      for (const { owner } of jobs) owners.set(owner, (owners.get(owner) ?? 0) + 1);
      const job = queue.take(memoryInTurn(jobs), (owner) => owners.get(owner) ?? 0);
      if (job === undefined) break;
      job.reportStart?.();
      job.reportStart = undefined;
      worker.assign(job, hasSpareCore());
    }
    if (queue.size > 0 || supervisor.count('busy') > 0) return;
    admission.pause();
    onDrained?.();
  };

  /** Throws what `run` would reject a job with now; to check before its input is available. */
  const assertRoom = (owner: string, timeLeftMs: number): void => {
    if (!supervisor.canWork) throw noWorker(lastLoss);
    // Where jobs wait beside a free worker, they wait for memory.
    if (queue.size > 0 || supervisor.count('free') === 0) admission.assertRoom(owner, timeLeftMs);
  };

  /**
   * Rejects with QUEUE_FULL (and when to retry) if no place in the queue would be served in time, with `signal.reason`,
   * with the Refusal that the task threw (anything else it threw is INTERNAL), with SHUTTING_DOWN when the pool closes,
   * or with WORKER_LOST if the job lost its worker twice, or no worker is left and none can be started.
   */
  const run = async <K extends keyof T & string>(
    task: K,
    input: T[K]['input'],
    runOptions: RunOptions,
  ): Promise<T[K]['output']> => {
    const { signal, keyId: owner = '', wait = 'refuse', reportStart, log } = runOptions;
    if (closing) throw shuttingDown();
    if (!supervisor.canWork) throw noWorker(lastLoss);
    signal.throwIfAborted();
    if (wait === 'refuse') assertRoom(owner, runOptions.timeLeftMs?.() ?? Infinity);
    let job!: Job;
    const answer = new Promise<unknown>((resolve, reject) => {
      job = { weight: 0, attemptsLeft: maxAttempts, task, owner, input, reportStart, log, signal, resolve, reject };
    });
    queue.add(job);
    dispatch();
    const onAbort = (): void => {
      job.reject(signal.reason);
      if (queue.remove(job)) dispatch();
      else for (const worker of supervisor.workers) worker.cancel(job);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };

  return {
    run,
    assertRoom,
    get stats() {
      /** Jobs in a worker, including those that nobody waits for any more. */
      const running = supervisor.count('busy');
      /** Workers that have loaded their models. */
      const workers = supervisor.count('free') + running;
      return { queued: queue.size, running, workers, lost: supervisor.lost };
    },
    /** Tells the listener now, and whenever it changes, whether there are workers or will be soon. */
    watch(listener: (canWork: boolean) => void): void {
      watcher = listener;
      listener(supervisor.canWork);
    },
    /** Resolves when the first worker has loaded its models; rejects with the error that prevented it. */
    ready: (): Promise<void> => supervisor.ready,
    /** Refuses new work, finishes existing work within `graceMs`, releases the sessions and ends the threads. */
    async close(graceMs: number): Promise<void> {
      closing = true;
      supervisor.stopReplacing();
      dismiss();
      await new Promise<void>((resolve) => {
        onDrained = resolve;
        setTimeout(resolve, graceMs).unref();
        dispatch();
      });
      for (const job of queue.clear()) job.reject(shuttingDown());
      await supervisor.close();
    },
  };
}
