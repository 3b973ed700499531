import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJobQueue } from '../../core-server/inference/job-queue.js';
import { restartDelayMs, retryAfterSeconds } from '../../core-server/inference/pool-timing.js';

const drain = (queue: { take(): string | undefined }): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

test('the queue gives back in the order of arrival', () => {
  const queue = createJobQueue<string>(3);
  for (const item of ['a', 'b', 'c']) assert.equal(queue.offer(item, 'refuse'), 'queued');
  assert.equal(queue.size, 3);
  assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  assert.equal(queue.size, 0);
});

test('a full queue refuses, and takes again once one is taken', () => {
  const queue = createJobQueue<string>(2);
  queue.offer('a', 'refuse');
  assert.equal(queue.offer('b', 'refuse'), 'queued');
  assert.equal(queue.offer('c', 'refuse'), 'refused');
  queue.take();
  assert.equal(queue.offer('d', 'refuse'), 'queued');
  assert.deepEqual(drain(queue), ['b', 'd']);
});

test('an item that waits for room moves in before later ones', () => {
  const queue = createJobQueue<string>(1);
  queue.offer('a', 'refuse');
  assert.equal(queue.offer('patient', 'wait'), 'waiting');
  assert.equal(queue.take(), 'a');
  assert.equal(queue.offer('late', 'refuse'), 'refused');
  assert.deepEqual(drain(queue), ['patient']);
});

test('an item can be removed while it is queued or waiting, once', () => {
  const queue = createJobQueue<string>(1);
  queue.offer('a', 'refuse');
  queue.offer('b', 'wait');
  queue.offer('c', 'wait');
  assert.equal(queue.remove('b'), true);
  assert.equal(queue.remove('b'), false);
  assert.equal(queue.remove('a'), true);
  assert.equal(queue.offer('d', 'refuse'), 'refused'); // c moved in
  assert.deepEqual(drain(queue), ['c']);
});

test('an item that is put back comes first, even into a full queue', () => {
  const queue = createJobQueue<string>(1);
  queue.offer('a', 'refuse');
  const taken = queue.take();
  assert.equal(taken, 'a');
  queue.offer('b', 'refuse');
  queue.putBack('a');
  assert.deepEqual(drain(queue), ['a', 'b']);
});

test('a queue without room still serves what waits', () => {
  const queue = createJobQueue<string>(0);
  assert.equal(queue.offer('a', 'refuse'), 'refused');
  assert.equal(queue.offer('b', 'wait'), 'waiting');
  assert.deepEqual(drain(queue), ['b']);
});

test('clear returns everything, oldest first', () => {
  const queue = createJobQueue<string>(1);
  queue.offer('a', 'refuse');
  queue.offer('b', 'wait');
  assert.deepEqual(queue.clear(), ['a', 'b']);
  assert.equal(queue.size, 0);
});

test('the time to retry after is the time the queue needs, 1 to 60 seconds', () => {
  const table: [queued: number, workers: number, meanJobMs: number, seconds: number][] = [
    [0, 2, 100, 1],
    [64, 2, 50, 2],
    [64, 1, 100, 7],
    [10_000, 1, 1000, 60],
  ];
  for (const [queued, workers, meanJobMs, seconds] of table) {
    assert.equal(retryAfterSeconds({ queued, workers, meanJobMs }), seconds);
  }
});

test('a worker that served is restarted at once, one that cannot start ever later', () => {
  const delays = [0, 1, 2, 3, 9, 10, 1000].map(restartDelayMs);
  assert.deepEqual(delays, [0, 100, 200, 400, 25_600, 30_000, 30_000]);
});
