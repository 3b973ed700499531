import type { Job } from './job.js';
import type { Worker } from './worker.js';

/** The memory of the jobs in the workers, as their weights: at most 1 in total. */
export function createMemoryReservations() {
  const taken = new Map<Worker, number>();
  const waiting = new Set<Job>();
  const countFree = (): number => [...taken.values()].reduce((left, weight) => left - weight, 1);
  return {
    /**
     * Reserves what a job in a worker turns out to need; false if it has to wait. It also has to behind others that
     * wait: many light jobs would keep out a heavy one.
     */
    reserve(worker: Worker, job: Job, weight: number): boolean {
      job.weight = weight;
      const isGranted = waiting.size === 0 && weight <= countFree();
      if (isGranted) taken.set(worker, weight);
      else waiting.add(job);
      return isGranted;
    },
    /** Reserves what a job that goes to a worker is known to need. */
    take(worker: Worker, job: Job): void {
      waiting.delete(job);
      taken.set(worker, job.weight);
    },
    /** The worker has no job any more. */
    release: (worker: Worker): unknown => taken.delete(worker),
    /** Nobody waits for the job any more. */
    forget: (job: Job): unknown => waiting.delete(job),
    /** Whether jobs may go to a worker now; to be called in the order of the queue. */
    inTurn(): (job: Pick<Job, 'weight'>) => boolean {
      let free = countFree();
      return ({ weight }) => {
        if (weight <= free) return true;
        free = 0;
        return weight === 0;
      };
    },
  };
}
