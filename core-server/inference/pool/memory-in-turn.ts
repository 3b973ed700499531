import type { Job } from './worker.js';

type Weighed = Pick<Job, 'weight'>;

/**
 * Whether jobs may go to a worker now, with whose job the weights of those in the workers may be 1 in total; to be called
 * in the order of the queue. What needs memory waits behind what waits for it, since many light jobs would keep out a
 * heavy one; what needs none does not wait.
 */
export function memoryInTurn(working: Iterable<Weighed>): (job: Weighed) => boolean {
  let free = 1;
  for (const { weight } of working) free -= weight;
  return ({ weight }) => {
    if (weight <= free) return true;
    free = 0;
    return weight === 0;
  };
}
