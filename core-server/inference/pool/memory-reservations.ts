import type { Job, Worker } from './worker.js';

/** The memory of the jobs in the workers, as their weights: at most 1 in total. */
export function createMemoryReservations() {
  const taken = new Map<Worker, number>();
  return {
    /** Reserves what a job that goes to a worker is known to need. */
    take: (worker: Worker, { weight }: Pick<Job, 'weight'>): unknown => taken.set(worker, weight),
    /** The worker has no job any more. */
    release: (worker: Worker): unknown => taken.delete(worker),
    /**
     * Whether jobs may go to a worker now; to be called in the order of the queue. What needs memory waits behind what
     * waits for it, since many light jobs would keep out a heavy one; what needs none does not wait.
     */
    inTurn(): (job: Pick<Job, 'weight'>) => boolean {
      let free = [...taken.values()].reduce((left, weight) => left - weight, 1);
      return ({ weight }) => {
        if (weight <= free) return true;
        free = 0;
        return weight === 0;
      };
    },
  };
}
