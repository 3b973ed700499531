import type { Logger } from 'pino';
import { asRefusal, refuse, shuttingDown } from '../../../runtime/errors/refusal.js';
import { fromWireError, type FromWorker } from './messages.js';
import { startThread } from './thread.js';

/** Of a pool, its workers and their threads. */
export interface WorkerPoolOptions {
  /** The module of the workers; it calls `serveTasks`. */
  readonly workerUrl: URL;
  readonly workerData?: unknown;
  /** Workers, 1 or more. */
  readonly size: number;
  /** Maximum number of jobs in the queue, besides those in the workers. */
  readonly maxQueue: number;
  /** Processors that others leave to this process; absent: what Linux says. */
  readonly leftProcessors?: () => number;
  /** Limit of a worker's heap, to about which V8 lets garbage grow; 32 if absent. It needs 9 MB, 13 for the largest pictures. */
  readonly heapMb?: number;
  /** A worker stuck with one job for longer is replaced, and the job fails. Default: never. */
  readonly taskTimeoutMs?: number;
  /** How long a stuck worker has to recover before its thread is terminated. Default: five minutes. */
  readonly stuckGraceMs?: number;
  /** Called if a stuck worker cannot be terminated: it hangs in native code, and part of the process with it. */
  readonly onHung?: (() => void) | undefined;
  readonly log?: Pick<Logger, 'error'>;
}

/** One call of the pool on its way through queue and worker. */
export interface Job {
  readonly task: string;
  /** On whose behalf it is done. */
  readonly owner: string;
  readonly input: unknown;
  /** Share of the memory of all workers that it needs, 0 to 1; 0 until a worker has found out. */
  weight: number;
  /** Called when a worker gets it, and not again when another does: it waited for memory, or that was lost. */
  reportStart: (() => void) | undefined;
  /** How many more workers it may be given to. */
  attemptsLeft: number;
  /** Names the call, if it is there. */
  readonly log: Pick<Logger, 'error'> | undefined;
  /** Aborted when nobody waits for it any more, whatever a worker is still doing. */
  readonly signal: AbortSignal;
  /** Only the first result counts. */
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface WorkerEvents {
  /** It has started and can take its first job. */
  ready(): void;
  /** It can take a job again, after one that took so long on the worker's clock, or none. */
  free(jobMs?: number): void;
  /** It gave its job back, which needs memory by its weight first. */
  returned(job: Job): void;
  /** It ended without having been asked to; its job, if any, has no result yet. */
  lost(job: Job | undefined, error: unknown): void;
}

/** Most stuck workers recover by themselves: the machine was overloaded. */
const defaultStuckGraceMs = 5 * 60_000;
/** Models load in seconds. */
const startTimeoutMs = 60_000;

/** A worker thread that does one job at a time. */
export type Worker = ReturnType<typeof startWorker>;

export function startWorker(options: WorkerPoolOptions, events: WorkerEvents) {
  const { taskTimeoutMs, stuckGraceMs = defaultStuckGraceMs, onHung, log } = options;
  let state: 'starting' | 'free' | 'busy' | 'gone' = 'starting';
  let job: Job | undefined;
  let timer: NodeJS.Timeout | undefined;

  const takeJob = (): Job | undefined => {
    clearTimeout(timer);
    const taken = job;
    job = undefined;
    return taken;
  };
  const becomeFree = (jobMs?: number): void => {
    state = 'free';
    events.free(jobMs);
  };
  const loseWith = (error: unknown): void => {
    state = 'gone';
    events.lost(takeJob(), error);
  };

  const onMessage = (message: FromWorker): void => {
    if (state === 'gone') return;
    if (message.type === 'ready') {
      clearTimeout(timer);
      state = 'free';
      events.ready();
      return;
    }
    const done = takeJob();
    if (done === undefined) return;
    if (message.type === 'returned') {
      done.weight = message.weight;
      done.attemptsLeft += 1;
      events.returned(done);
    } else if (message.type === 'done') done.resolve(message.output);
    else done.reject(fromWireError(message.error));
    becomeFree(message.jobMs);
  };
  const thread = startThread(options, onMessage);
  const ended = thread.ended.then((reason) => {
    if (state !== 'gone') loseWith(reason);
  });
  const abandon = (why: string): void => {
    void thread.end(stuckGraceMs, () => {
      log?.error('the thread of a stuck worker hangs in native code');
      onHung?.();
    });
    loseWith(new Error(why));
  };
  const onTimeout = (late: Job): void => {
    // Not retried, because the next worker would get stuck as well.
    late.attemptsLeft = 0;
    late.reject(refuse('INTERNAL', 'the analysis took too long and was stopped'));
    abandon(`worker was stuck with ${late.task} for ${taskTimeoutMs} ms`);
  };

  timer = setTimeout(() => abandon(`worker did not start within ${startTimeoutMs} ms`), startTimeoutMs);

  return {
    get state() {
      return state;
    },
    /** The one that it has, also if its caller is gone. */
    get job(): Readonly<Job> | undefined {
      return job;
    },
    /** Resolves when its thread has ended; for a stuck worker that is long after it is given up, or never. */
    ended,
    /** Gives it the job, and says whether the core of an idle worker may help. */
    assign(next: Job, hasSpareCore: boolean): void {
      state = 'busy';
      job = next;
      next.attemptsLeft -= 1;
      try {
        const { task, input, weight } = next;
        thread.send({ type: 'run', task, input, weight, hasSpareCore });
      } catch (error) {
        // Only a job that cannot be cloned fails. The worker is free again in the next turn, since the caller is in its loop.
        takeJob()?.reject(asRefusal(error));
        setImmediate(() => becomeFree());
        return;
      }
      if (taskTimeoutMs !== undefined) timer = setTimeout(() => onTimeout(next), taskTimeoutMs);
    },
    /** Tells the worker that nobody waits for this job any more. */
    cancel(unwanted: Job): void {
      if (job === unwanted) thread.send({ type: 'cancel' });
    },
    /** Asks it to release its sessions and exit, by force after `graceMs`. Its job, if any, gets SHUTTING_DOWN. */
    async close(graceMs: number): Promise<void> {
      state = 'gone';
      takeJob()?.reject(shuttingDown());
      await thread.end(graceMs);
    },
  };
}
