import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairQueue } from '../../../core-server/common/fair-queue.js';

const drain = (queue: { take(): string | undefined }): string[] => {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
};

const oneOwner = () => '';

test('the queue gives back in the order of arrival', () => {
  const queue = createFairQueue<string>(3, oneOwner);
  for (const item of ['a', 'b', 'c']) queue.add(item);
  assert.equal(queue.size, 3);
  assert.deepEqual(drain(queue), ['a', 'b', 'c']);
  assert.equal(queue.size, 0);
});

test('a full queue has no room, and has again once one is taken', () => {
  const queue = createFairQueue<string>(2, oneOwner);
  queue.add('a');
  assert.equal(queue.hasRoom(''), true);
  queue.add('b');
  assert.equal(queue.hasRoom(''), false);
  queue.take();
  assert.equal(queue.hasRoom(''), true);
  queue.add('d');
  assert.deepEqual(drain(queue), ['b', 'd']);
});

test('an item that waits for room moves in before later ones', () => {
  const queue = createFairQueue<string>(1, oneOwner);
  queue.add('a');
  queue.add('patient');
  assert.equal(queue.take(), 'a');
  assert.equal(queue.hasRoom(''), false);
  assert.deepEqual(drain(queue), ['patient']);
});

test('an item can be removed while it is queued or waiting, once', () => {
  const queue = createFairQueue<string>(1, oneOwner);
  queue.add('a');
  queue.add('b');
  queue.add('c');
  assert.equal(queue.remove('b'), true);
  assert.equal(queue.remove('b'), false);
  assert.equal(queue.remove('a'), true);
  assert.equal(queue.hasRoom(''), false); // c moved in
  assert.deepEqual(drain(queue), ['c']);
});

test('an item that is put back comes before others of its owner, even into a full queue', () => {
  const queue = createFairQueue<string>(1, oneOwner);
  queue.add('a');
  const taken = queue.take();
  assert.equal(taken, 'a');
  queue.add('b');
  queue.putBack('a');
  assert.equal(queue.size, 2);
  assert.deepEqual(drain(queue), ['a', 'b']);
  assert.equal(queue.size, 0);
});

test('a queue without room still serves what waits', () => {
  const queue = createFairQueue<string>(0, oneOwner);
  assert.equal(queue.hasRoom(''), false);
  queue.add('a');
  assert.deepEqual(drain(queue), ['a']);
});

/** Items are named owner first: `a1`. */
const firstLetter = (item: string): string => item.slice(0, 1);

test('owners take turns', () => {
  const queue = createFairQueue<string>(20, firstLetter);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item);
  assert.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('owners with the least work under way come first, and take turns among each other', () => {
  const queue = createFairQueue<string>(20, firstLetter);
  for (const item of ['a1', 'a2', 'b1', 'b2', 'c1']) queue.add(item);
  const work: Record<string, number> = { a: 1 };
  const take = () => queue.take(undefined, (owner) => work[owner] ?? 0);
  assert.deepEqual([take(), take(), take()], ['b1', 'c1', 'b2']);
  queue.add('b3');
  work['b'] = 2;
  assert.deepEqual([take(), take(), take()], ['a1', 'a2', 'b3']);
});

test('how many come before one that is added now follows from the turns', () => {
  const queue = createFairQueue<string>(100, (item) => item.charAt(0));
  for (const item of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.add(item);
  const table: [owner: string, ahead: number][] = [
    ['new', 3], // one of each
    ['b', 1 + 2 + 2],
    ['c', 2 + 3 + 1],
    ['a', 4 + 1 + 2],
  ];
  for (const [owner, ahead] of table) assert.equal(queue.aheadOf(owner), ahead, owner);
  queue.add('b2');
  assert.ok(drain(queue).indexOf('b2') <= 5);
});

test('what is put back keeps its order, and its owner has had its turn', () => {
  const queue = createFairQueue<string>(20, firstLetter);
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(item);
  assert.deepEqual([queue.take(), queue.take(), queue.take()], ['a1', 'b1', 'a2']);
  queue.putBack('a1');
  queue.putBack('a2');
  assert.deepEqual(drain(queue), ['b2', 'a1', 'a2', 'a3']);
  // Taken again, it is like any other, and not remembered.
  queue.add('a1');
  queue.putBack('a2');
  assert.deepEqual(drain(queue), ['a2', 'a1']);
});

test('a flood of one owner leaves room for others', () => {
  const queue = createFairQueue<string>(64, firstLetter);
  const fill = (owner: string): number => {
    let added = 0;
    for (; queue.hasRoom(owner); added += 1) queue.add(`${owner}${added}`);
    return added;
  };
  assert.deepEqual(['a', 'b', 'c', 'd'].map(fill), [52, 10, 2, 0]);
  assert.equal(queue.size, 64);
});

test('a flood that waits outside leaves room for others too', () => {
  const queue = createFairQueue<string>(10, firstLetter);
  for (let i = 0; i < 100; i += 1) queue.add(`a${i}`);
  for (let i = 0; i < 50; i += 1) {
    queue.take();
    assert.equal(queue.hasRoom('b'), true);
    queue.add('b1');
    assert.ok(queue.remove('b1'));
  }
  assert.equal(drain(queue).length, 50);
});

test('what waits outside is left at once, however much there is: streams of one key may have 30,000 requests', () => {
  const queue = createFairQueue<object>(64, oneOwner);
  const items = Array.from({ length: 30_000 }, () => ({}));
  for (const item of items) queue.add(item);
  const startedAt = performance.now();
  for (const item of items.toReversed()) assert.ok(queue.remove(item));
  const tookMs = performance.now() - startedAt;
  // 20, and 17,000 when each was asked whether it may move in.
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
});

test('clear returns everything, oldest first', () => {
  const queue = createFairQueue<string>(1, oneOwner);
  queue.add('a');
  queue.add('b');
  assert.deepEqual(queue.clear(), ['a', 'b']);
  assert.equal(queue.size, 0);
});

test('an item that may not be taken yet lets others pass and keeps its place', () => {
  const queue = createFairQueue<string>(8, ([owner = '']) => owner);
  for (const item of ['a1', 'a2', 'b1', 'a3']) queue.add(item);
  const notFirst = (item: string): boolean => item !== 'a1';
  assert.deepEqual([queue.take(notFirst), queue.take(notFirst)], ['a2', 'b1']);
  assert.equal(
    queue.take(() => false),
    undefined,
  );
  assert.deepEqual(drain(queue), ['a1', 'a3']);
});
