import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJobQueue } from '../../core-server/inference/job-queue.js';
import { restartDelayMs, retryAfterSeconds } from '../../core-server/inference/pool-timing.js';

const drain = (queue: { take(): string | undefined }): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

const oneOwner = () => '';

test('the queue gives back in the order of arrival', () => {
  const queue = createJobQueue<string>(3, oneOwner);
  for (const item of ['a', 'b', 'c']) assert.equal(queue.offer(item, 'refuse'), 'queued');
  assert.equal(queue.size, 3);
  assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  assert.equal(queue.size, 0);
});

test('a full queue refuses, and takes again once one is taken', () => {
  const queue = createJobQueue<string>(2, oneOwner);
  queue.offer('a', 'refuse');
  assert.equal(queue.offer('b', 'refuse'), 'queued');
  assert.equal(queue.offer('c', 'refuse'), 'refused');
  queue.take();
  assert.equal(queue.offer('d', 'refuse'), 'queued');
  assert.deepEqual(drain(queue), ['b', 'd']);
});

test('an item that waits for room moves in before later ones', () => {
  const queue = createJobQueue<string>(1, oneOwner);
  queue.offer('a', 'refuse');
  assert.equal(queue.offer('patient', 'wait'), 'waiting');
  assert.equal(queue.take(), 'a');
  assert.equal(queue.offer('late', 'refuse'), 'refused');
  assert.deepEqual(drain(queue), ['patient']);
});

test('an item can be removed while it is queued or waiting, once', () => {
  const queue = createJobQueue<string>(1, oneOwner);
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
  const queue = createJobQueue<string>(1, oneOwner);
  queue.offer('a', 'refuse');
  const taken = queue.take();
  assert.equal(taken, 'a');
  queue.offer('b', 'refuse');
  queue.putBack('a');
  assert.deepEqual(drain(queue), ['a', 'b']);
});

test('a queue without room still serves what waits', () => {
  const queue = createJobQueue<string>(0, oneOwner);
  assert.equal(queue.offer('a', 'refuse'), 'refused');
  assert.equal(queue.offer('b', 'wait'), 'waiting');
  assert.deepEqual(drain(queue), ['b']);
});

/** Items are named owner first: `a1`. */
const firstLetter = (item: string): string => item.slice(0, 1);

test('owners take turns', () => {
  const queue = createJobQueue<string>(20, firstLetter);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.offer(item, 'refuse');
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('how many come before one that is offered now follows from the turns', () => {
  const queue = createJobQueue<string>(100, (item) => item.charAt(0));
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.offer(item, 'refuse');
  const table: [owner: string, ahead: number][] = [
    ['new', 3], // one of each
    ['b', 1 + 2 + 2],
    ['c', 2 + 3 + 1],
    ['a', 4 + 1 + 2],
  ];
  for (const [owner, ahead] of table) assert.equal(queue.aheadOf(owner), ahead, owner);
  queue.offer('b2', 'refuse');
  assert.ok(drain(queue).indexOf('b2') <= 5);
});

test('what is put back comes before the turns of others', () => {
  const queue = createJobQueue<string>(20, firstLetter);
  for (const item of ['a1', 'b1', 'a2']) queue.offer(item, 'refuse');
  const taken = [queue.take(), queue.take()];
  assert.deepEqual(taken, ['a1', 'b1']);
  queue.putBack('b1');
  assert.deepEqual(drain(queue), ['b1', 'a2']);
});

test('a flood of one owner leaves room for others', () => {
  const queue = createJobQueue<string>(64, firstLetter);
  const offer = (owner: string, count: number): number =>
    Array.from({ length: count }, (_, i) => queue.offer(`${owner}${i}`, 'refuse')).filter(
      (admission) => admission === 'queued',
    ).length;
  assert.equal(offer('a', 1_000), 52);
  assert.equal(offer('b', 1_000), 10);
  assert.equal(offer('c', 1_000), 2);
  assert.equal(offer('d', 1), 0);
  assert.equal(queue.size, 64);
});

test('a flood that waits outside leaves room for others too', () => {
  const queue = createJobQueue<string>(10, firstLetter);
  for (let i = 0; i < 100; i += 1) queue.offer(`a${i}`, 'wait');
  for (let i = 0; i < 50; i += 1) {
    queue.take();
    assert.equal(queue.offer('b1', 'refuse'), 'queued');
    assert.ok(queue.remove('b1'));
  }
  assert.equal(drain(queue).length, 50);
});

test('clear returns everything, oldest first', () => {
  const queue = createJobQueue<string>(1, oneOwner);
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

test('an item that may not be taken yet lets others pass and keeps its place', () => {
  const queue = createJobQueue<string>(8, ([owner = '']) => owner);
  for (const item of ['a1', 'a2', 'b1', 'a3']) queue.offer(item, 'refuse');
  const notFirst = (item: string): boolean => item !== 'a1';
  assert.deepEqual([queue.take(notFirst), queue.take(notFirst)], ['a2', 'b1']);
  assert.equal(
    queue.take(() => false),
    undefined,
  );
  assert.deepEqual(drain(queue), ['a1', 'a3']);
});
