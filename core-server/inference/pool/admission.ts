import { refuse } from '../../../runtime/errors/refusal.js';
import type { JobQueue } from '../../common/fair-queue.js';

/**
 * How many jobs may wait, by Little's law: jobs in the queue = workers × time / time per job. The number of
 * workers is known, so the capacity need not be searched for, as gradient or AIMD limiters do (Netflix
 * concurrency-limits, TCP Vegas); only the time per job has to be measured.
 */

/** How long jobs take in a worker, milliseconds. */
interface ServiceTime {
  /** Smoothed. */
  readonly meanMs: number;
  /** Mean distance from the mean, smoothed. */
  readonly deviationMs: number;
}

/** Before the first job was measured. */
const assumedServiceTime: ServiceTime = { meanMs: 100, deviationMs: 0 };

/** The estimate after one more job, smoothed as TCP does with round trips (RFC 6298, 2.3). */
function afterJob({ meanMs, deviationMs }: ServiceTime, jobMs: number): ServiceTime {
  return {
    meanMs: meanMs + (jobMs - meanMs) / 8,
    deviationMs: deviationMs + (Math.abs(jobMs - meanMs) - deviationMs) / 4,
  };
}

/**
 * Places in the queue for a caller who will wait `timeLeftMs`: whoever gets one is likely to be answered in
 * time. 0 if only a free worker would do; never more than `maxQueue`.
 */
function queueLimit(load: {
  readonly maxQueue: number;
  readonly workers: number;
  readonly timeLeftMs: number;
  readonly serviceTime: ServiceTime;
}): number {
  const { maxQueue, workers, timeLeftMs, serviceTime } = load;
  // The time left for waiting: the job itself may take longer than average.
  const waitMs = timeLeftMs - serviceTime.meanMs - 4 * serviceTime.deviationMs;
  const turns = Math.floor(waitMs / Math.max(serviceTime.meanMs, 1));
  return Math.max(0, Math.min(maxQueue, workers * turns));
}

/** Decides who gets a place in the queue, based on how long jobs have been taking. */
export interface Admission {
  /** Learns from a completed job. */
  jobDone(jobMs: number): void;
  /** Throws QUEUE_FULL if no place for a job of this owner would be served in time. */
  assertRoom(owner: string, timeLeftMs: number): void;
}

export function createAdmission(deps: {
  readonly queue: Pick<JobQueue<unknown>, 'aheadOf' | 'hasRoom' | 'size'>;
  readonly maxQueue: number;
  readonly workers: number;
}): Admission {
  const { queue, maxQueue, workers } = deps;
  let serviceTime = assumedServiceTime;

  return {
    jobDone(jobMs) {
      serviceTime = afterJob(serviceTime, jobMs);
    },
    assertRoom(owner, timeLeftMs) {
      const limit = queueLimit({ maxQueue, workers, timeLeftMs, serviceTime });
      const ahead = queue.aheadOf(owner);
      if (ahead < limit && queue.hasRoom(owner)) return;
      // If its owner has used all its places, there is room only for those.
      const room = Math.min(ahead, limit);
      const seconds = retryAfterSeconds({
        queued: queue.size,
        workers,
        meanJobMs: serviceTime.meanMs,
      });
      throw refuse(
        'QUEUE_FULL',
        `the queue has ${ahead} ahead of this request and room for ${room}, try again in ${seconds} s`,
        { details: { value: String(ahead), limit: String(room) }, retryAfterSeconds: seconds },
      );
    },
  };
}

const maxRetryAfterSeconds = 60;

/** Whole seconds, 1 to 60, until the jobs now in the queue will be done. */
export function retryAfterSeconds(load: { queued: number; workers: number; meanJobMs: number }): number {
  const seconds = Math.ceil((load.queued * load.meanJobMs) / load.workers / 1000);
  return Math.min(maxRetryAfterSeconds, Math.max(1, seconds));
}
