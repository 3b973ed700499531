import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reserveBody } from '../../../../rest-facade/request/body/reserve-body.js';
import { maxSmallChunks, minMeanChunkBytes } from '../../../../runtime/limits/chunk-size.js';
import { createFairBudget } from '../../../../runtime/limits/fair-budget.js';
import { assertReason, reasonOf } from '../../refusals.js';

const kib = 1024;

test('a hold takes what comes, and gives all of it back', () => {
  const budget = createFairBudget(1_000 * kib);
  const hold = reserveBody(budget.of('caller'));
  assert.equal(budget.taken, 0);
  for (let chunk = 0; chunk < 300; chunk += 1) hold.grow(kib);
  assert.equal(budget.taken, 300 * kib);
  hold.release();
  hold.release();
  assert.equal(budget.taken, 0);
});

test('a hold refuses when the budget is used up, and leaves it as it was', () => {
  const budget = createFairBudget(100 * kib);
  const [first, second] = [budget.of('caller'), budget.of('caller')].map(reserveBody);
  first?.grow(80 * kib);
  assertReason(() => second?.grow(1), 'QUEUE_FULL');
  first?.release();
  assertReason(() => second?.grow(1), undefined);
  second?.release();
  assert.equal(budget.taken, 0);
});

test('a hold has room for all of the largest body in the least budget', () => {
  const budget = createFairBudget(125 * kib);
  const hold = reserveBody(budget.of('caller'));
  for (let chunk = 0; chunk < 100; chunk += 1) hold.grow(kib);
  assertReason(() => hold.grow(1), 'QUEUE_FULL');
  hold.release();
  assert.equal(budget.taken, 0);
});

test('a hold takes so many chunks of any size, and more of them where they are large on average', () => {
  const create = () => reserveBody(createFairBudget(1_000 * kib).of('caller'));
  const grow = (hold: ReturnType<typeof reserveBody>, chunks: number, bytes: number) =>
    reasonOf(() => {
      for (let chunk = 0; chunk < chunks; chunk += 1) hold.grow(bytes);
    });
  const [small, fair, mixed] = [create(), create(), create()];
  assert.equal(grow(small, maxSmallChunks, 1), undefined);
  assert.equal(grow(small, 1, 1), 'INVALID_FIELD');
  assert.equal(grow(fair, 2 * maxSmallChunks, minMeanChunkBytes), undefined);
  assert.equal(grow(fair, 1, minMeanChunkBytes - 1), 'INVALID_FIELD');
  assert.equal(grow(mixed, 1, 2 * maxSmallChunks * minMeanChunkBytes), undefined);
  assert.equal(grow(mixed, 2 * maxSmallChunks - 1, 0), undefined);
  assert.equal(grow(mixed, 1, 0), 'INVALID_FIELD');
});
