import type { Job } from './job.js';
import type { JobWorker } from './worker.js';

/** The memory of the jobs in the workers, as their weights: at most 1 in total. */
export interface MemoryBudget {
  take(worker: JobWorker, job: Job): void;
  give(worker: JobWorker): void;
  /**
   * Whether jobs may go to a worker now; to be called in the order of the queue. Behind a job that must wait, no
   * other job with a weight may go: many light ones would keep out a heavy one.
   */
  inTurn(): (job: Pick<Job, 'weight'>) => boolean;
}

export function createMemoryBudget(): MemoryBudget {
  const taken = new Map<JobWorker, number>();
  return {
    take: (worker, { weight }) => void taken.set(worker, weight),
    give: (worker) => void taken.delete(worker),
    inTurn() {
      let free = [...taken.values()].reduce((left, weight) => left - weight, 1);
      return ({ weight }) => {
        if (weight <= free) return true;
        free = 0;
        return weight === 0;
      };
    },
  };
}
