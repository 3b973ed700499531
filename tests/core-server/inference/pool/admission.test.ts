import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmission } from '../../../../core-server/inference/pool/admission.js';
import { Refusal } from '../../../../runtime/errors/refusal.js';

const maxQueue = 64;

/** How many may be ahead of a caller with this much time, after jobs that took this long; it has a job already, or none. */
function places(workers: number, timeLeftMs: number, jobsMs: readonly (number | 'pause')[], hasJob = true): number {
  let ahead = 0;
  const queue = { aheadOf: () => ahead, hasRoom: () => true, size: 0 };
  const admission = createAdmission({ queue, maxQueue, workers, hasJob: () => hasJob });
  for (const jobMs of jobsMs) {
    if (jobMs === 'pause') admission.pause();
    else admission.jobDone(jobMs);
  }
  try {
    for (; ; ahead += 1) admission.assertRoom('owner', timeLeftMs);
  } catch (error) {
    assert.ok(error instanceof Refusal && error.reason === 'QUEUE_FULL');
    return ahead;
  }
}

/** So many that what was assumed before them counts no more. */
const steady = (jobMs: number): number[] => new Array<number>(300).fill(jobMs);

test('the queue is as long as can be served in the time that is left', () => {
  const table: [name: string, workers: number, left: number, jobs: (number | 'pause')[], places: number][] = [
    ['ten jobs of 100 ms fit into what one second leaves beside the own', 1, 1100, steady(100), 10],
    ['as is assumed before the first', 1, 1100, [], 10],
    ['two workers serve twice as many', 2, 1100, steady(100), 20],
    ['slower jobs leave fewer places', 2, 1100, steady(500), 2],
    ['faster ones more', 2, 1100, steady(70), 28],
    // After one job of 180 ms the mean is 110, and the mean distance from it 20.
    ['uneven jobs leave room for a long one', 1, 110 + 4 * 20 + 9 * 110, [180], 9],
    ['a millisecond less is a place less', 1, 110 + 4 * 20 + 9 * 110 - 1, [180], 8],
    ['a short one is uneven too', 1, 90 + 4 * 20 + 9 * 90, [20], 9],
    ['long ones among short ones leave half of the time for waiting', 2, 30_000, [30_000, 30_000], 4],
    ['jobs that take too long for that leave none', 2, 30_000, steady(20_000), 0],
    ['until a pause', 2, 30_500, [...steady(20_000), 'pause'], 2 * 29],
    ['after which shorter ones count as before', 2, 1100, [...steady(500), 'pause'], 2],
    ['a long one is forgotten', 1, 1150, [5000, ...steady(100)], 10],
    ['no time for more than the job itself', 2, 100, steady(100), 0],
    ['less time than a job takes', 2, 50, steady(100), 0],
    ['a deadline that has passed', 2, -5, steady(100), 0],
    ['never more than the maximum', 2, 60_000, steady(10), maxQueue],
    ['no deadline', 2, Infinity, steady(100), maxQueue],
    ['jobs that take no time', 2, 100, steady(0), maxQueue],
  ];
  for (const [name, workers, timeLeftMs, jobs, expected] of table)
    assert.equal(places(workers, timeLeftMs, jobs), expected, name);
});

test('whoever has no job has a turn, however uneven the jobs of others are', () => {
  const uneven = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? 50 : 15_000));
  assert.equal(places(2, 15_000, uneven), 0);
  assert.equal(places(2, 15_000, uneven, false), 2);
  // Not in time even if a job is no longer than usual.
  assert.equal(places(2, 5_000, uneven, false), 0);
  assert.equal(places(2, 100, steady(100), false), 0);
  assert.equal(places(2, 1100, steady(100), false), 20);
});

test('whoever gets a place is served in time by steady workers', () => {
  for (const workers of [1, 2, 7]) {
    for (const jobMs of [1, 20, 333]) {
      for (const timeLeftMs of [10, 400, 5000]) {
        const count = places(workers, timeLeftMs, steady(jobMs));
        if (count === 0) continue;
        // At worst the running jobs have only begun.
        const answeredAfterMs = (Math.ceil(count / workers) + 1) * jobMs;
        assert.ok(answeredAfterMs <= timeLeftMs + 1e-9, `${workers} ${jobMs} ${timeLeftMs}`);
      }
    }
  }
});

test('a refusal says how many are ahead, for how many there is room, and when to try again', () => {
  const load = (ahead: number, hasRoom: boolean) => {
    const queue = { aheadOf: () => ahead, hasRoom: () => hasRoom, size: 29 };
    const admission = createAdmission({ queue, maxQueue, workers: 2, hasJob: () => true });
    for (const jobMs of steady(200)) admission.jobDone(jobMs);
    return () => admission.assertRoom('owner', 1100);
  };
  const full = (ahead: number, room: number) => ({
    reason: 'QUEUE_FULL',
    message: `the queue has ${ahead} ahead of this request and room for ${room}, try again in 3 s`,
    details: { value: String(ahead), limit: String(room) },
    retryAfterSeconds: 3,
  });
  load(7, true)();
  assert.throws(load(8, true), full(8, 8));
  assert.throws(load(20, true), full(20, 8));
  // Its owner has used all its places: there is room for those.
  assert.throws(load(5, false), full(5, 5));
});

test('the time to retry after is the time the queue needs, 1 to 60 seconds', () => {
  const table: [queued: number, workers: number, jobMs: number, seconds: number][] = [
    [0, 2, 100, 1],
    [64, 2, 50, 2],
    [64, 1, 100, 7],
    [10_000, 1, 1000, 60],
  ];
  for (const [size, workers, jobMs, retryAfterSeconds] of table) {
    const queue = { aheadOf: () => maxQueue, hasRoom: () => true, size };
    const admission = createAdmission({ queue, maxQueue, workers, hasJob: () => true });
    for (const ms of steady(jobMs)) admission.jobDone(ms);
    assert.throws(() => admission.assertRoom('owner', Infinity), { reason: 'QUEUE_FULL', retryAfterSeconds });
  }
});
