import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterJob,
  assumedServiceTime,
  queueLimit,
  type ServiceTime,
} from '../../core-server/inference/admission.js';

const steady = (meanMs: number, deviationMs = 0): ServiceTime => ({ meanMs, deviationMs });

test('the queue is as long as can be served in the time that is left', () => {
  const table: [name: string, workers: number, left: number, time: ServiceTime, limit: number][] = [
    ['ten jobs of 100 ms fit into what one second leaves beside the own', 1, 1100, steady(100), 10],
    ['two workers serve twice as many', 2, 1100, steady(100), 20],
    ['slower jobs leave fewer places', 2, 1100, steady(500), 2],
    ['uneven jobs leave room for a long one', 2, 1100, steady(100, 50), 16],
    ['no time for more than the job itself', 2, 100, steady(100), 0],
    ['less time than a job takes', 2, 50, steady(100), 0],
    ['a deadline that has passed', 2, -5, steady(100), 0],
    ['never more than the maximum', 2, 60_000, steady(10), 64],
    ['no deadline', 2, Infinity, steady(100), 64],
    ['jobs that take no time', 2, 100, steady(0), 64],
  ];
  for (const [name, workers, timeLeftMs, serviceTime, limit] of table) {
    const load = { maxQueue: 64, workers, timeLeftMs, serviceTime };
    assert.equal(queueLimit(load), limit, name);
  }
});

test('whoever gets a place is served in time by steady workers', () => {
  for (const workers of [1, 2, 7]) {
    for (const meanMs of [1, 20, 333]) {
      for (const timeLeftMs of [10, 400, 5000]) {
        const serviceTime = steady(meanMs);
        const places = queueLimit({ maxQueue: 1000, workers, timeLeftMs, serviceTime });
        if (places === 0) continue;
        // At worst the running jobs have only begun.
        const answeredAfterMs = (Math.ceil(places / workers) + 1) * meanMs;
        assert.ok(answeredAfterMs <= timeLeftMs + 1e-9, `${workers} ${meanMs} ${timeLeftMs}`);
      }
    }
  }
});

test('the estimate follows what jobs take, and how uneven they are', () => {
  assert.deepEqual(afterJob(steady(100), 180), { meanMs: 110, deviationMs: 20 });
  let time = assumedServiceTime;
  for (let i = 0; i < 100; i += 1) time = afterJob(time, 20);
  assert.ok(Math.abs(time.meanMs - 20) < 0.1 && time.deviationMs < 0.1);
  for (let i = 0; i < 100; i += 1) time = afterJob(time, i % 2 === 0 ? 10 : 50);
  assert.ok(time.meanMs > 25 && time.meanMs < 35, String(time.meanMs));
  assert.ok(time.deviationMs > 15 && time.deviationMs < 25, String(time.deviationMs));
});
