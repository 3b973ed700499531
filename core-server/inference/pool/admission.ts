import { type FairQueue, queueFull } from '../../common/fair-queue.js';

const maxRetryAfterSeconds = 60;
/** More than most pictures take: what took longer is no rule for those after a pause. */
const maxMeanAfterPauseMs = 1_000;

/** Decides how many jobs may wait, by Little's law: jobs in the queue = workers × time / time per job. */
export function createAdmission(deps: {
  readonly queue: Pick<FairQueue<unknown>, 'aheadOf' | 'hasRoom' | 'size'>;
  readonly maxQueue: number;
  readonly workers: number;
  /** Whether the owner has a job that waits, or that is in a worker. */
  readonly hasJob: (owner: string) => boolean;
}) {
  const { queue, maxQueue, workers, hasJob } = deps;
  // How long jobs take in a worker, smoothed, and how far from it they are: as assumed before the first was measured.
  let meanMs = 100;
  let deviationMs = 0;

  /**
   * Places for an owner that will wait so long: who gets one is likely to be answered in time. If it has no job, its turn
   * comes once each worker has finished one, however uneven these are: otherwise, an owner whose jobs take long would have
   * all others refused, and nobody would be left to take turns.
   */
  const countPlaces = (owner: string, timeLeftMs: number): number => {
    // The job itself may take longer than average; but because of a few slow ones, an idle service must not refuse all.
    const waitMs = Math.max(timeLeftMs / 2, timeLeftMs - meanMs - 4 * deviationMs);
    const turns = Math.floor(waitMs / meanMs);
    const least = hasJob(owner) || timeLeftMs <= meanMs ? 0 : workers;
    return Math.max(least, Math.min(maxQueue, workers * turns));
  };

  return {
    /** Learns from a completed job, as TCP does from round trips (RFC 6298, 2.3). */
    jobDone(jobMs: number): void {
      deviationMs += (Math.abs(jobMs - meanMs) - deviationMs) / 4;
      meanMs += (jobMs - meanMs) / 8;
    },
    /** Nothing is left to do: who comes next may send quite different pictures. */
    pause(): void {
      meanMs = Math.min(meanMs, maxMeanAfterPauseMs);
    },
    /** @throws Refusal QUEUE_FULL if no place for a job of this owner would be served in time */
    assertRoom(owner: string, timeLeftMs: number): void {
      const limit = countPlaces(owner, timeLeftMs);
      const ahead = queue.aheadOf(owner);
      if (ahead < limit && queue.hasRoom(owner)) return;
      const drainedAfterSeconds = Math.ceil((queue.size * meanMs) / workers / 1000);
      const retryAfterSeconds = Math.min(maxRetryAfterSeconds, Math.max(1, drainedAfterSeconds));
      throw queueFull('the queue', ahead, Math.min(ahead, limit), retryAfterSeconds);
    },
  };
}
