import type { Job } from './worker.js';

type Weighed = Pick<Job, 'weight'>;

/**
 * Tells, asked in the order of the queue, which jobs may go to a worker now: with it, the weights of all in workers add up
 * to 1 at most. One that needs memory waits behind one that waits for it, since many light jobs would keep out a heavy
 * one; one that needs none does not wait.
 */
export function memoryInTurn(working: Iterable<Weighed>): (job: Weighed) => boolean {
  // Shares such as 1/17 do not add up to 1 exactly.
  let free = 1 + 1e-9;
  for (const { weight } of working) free -= weight;
  return ({ weight }) => {
    const isFree = weight <= free;
    if (!isFree) free = 0;
    return isFree;
  };
}
