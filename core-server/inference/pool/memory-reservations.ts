import type { Job } from './job.js';
import type { Worker } from './worker.js';

/** The memory of the jobs in the workers, as their weights: at most 1 in total. */
export interface MemoryReservations {
  /**
   * Reserves what a job in a worker turns out to need; false if it has to wait. It also has to behind others that wait:
   * many light jobs would keep out a heavy one.
   */
  reserve(worker: Worker, job: Job, weight: number): boolean;
  /** Reserves what a job that goes to a worker is known to need. */
  take(worker: Worker, job: Job): void;
  /** The worker has no job any more. */
  release(worker: Worker): void;
  /** Nobody waits for the job any more. */
  forget(job: Job): void;
  /** Whether jobs may go to a worker now; to be called in the order of the queue. */
  inTurn(): (job: Pick<Job, 'weight'>) => boolean;
}

export function createMemoryReservations(): MemoryReservations {
  const taken = new Map<Worker, number>();
  const waiting = new Set<Job>();
  const countFree = () => [...taken.values()].reduce((left, weight) => left - weight, 1);
  return {
    reserve(worker, job, weight) {
      job.weight = weight;
      const isGranted = waiting.size === 0 && weight <= countFree();
      if (isGranted) taken.set(worker, weight);
      else waiting.add(job);
      return isGranted;
    },
    take(worker, job) {
      waiting.delete(job);
      taken.set(worker, job.weight);
    },
    release: (worker) => void taken.delete(worker),
    forget: (job) => void waiting.delete(job),
    inTurn() {
      let free = countFree();
      return ({ weight }) => {
        if (weight <= free) return true;
        free = 0;
        return weight === 0;
      };
    },
  };
}
