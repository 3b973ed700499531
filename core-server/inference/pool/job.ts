import type { Transferable } from 'node:worker_threads';

/** One call of the pool on its way through queue and worker. */
export interface Job {
  readonly task: string;
  /** On whose behalf it is done. */
  readonly owner: string;
  input: unknown;
  transfer: readonly Transferable[];
  /** Share of the memory of all workers that it needs, 0 to 1; 0 until a worker has found out. */
  weight: number;
  /** On the pool's clock, milliseconds. */
  readonly createdAt: number;
  /** Called each time a worker gets it. */
  readonly onStart: (() => void) | undefined;
  /** How many workers it has been given to so far. */
  attempts: number;
  /** True once the caller has its result, whatever a worker is still doing. */
  settled: boolean;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** The input of a job. */
type JobDescription = Pick<Job, 'task' | 'owner' | 'input' | 'transfer' | 'createdAt' | 'onStart'>;

/** A job and the caller's promise. Only the first result counts. */
export function createJob(description: JobDescription): { job: Job; answer: Promise<unknown> } {
  let resolve!: (output: unknown) => void;
  let reject!: (error: unknown) => void;
  const answer = new Promise<unknown>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  const job: Job = {
    ...description,
    weight: 0,
    attempts: 0,
    settled: false,
    resolve(output) {
      job.settled = true;
      resolve(output);
    },
    reject(error) {
      job.settled = true;
      reject(error);
    },
  };
  return { job, answer };
}
