import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairBudget, createHold } from '../../../runtime/limits/fair-budget.js';

test('a budget gives one owner four fifths, and leaves the others room', () => {
  const budget = createFairBudget(100);
  const [one, again, other] = ['one', 'one', 'other'].map((owner) => createHold(budget.of(owner)));
  assert.ok(one && again && other);
  assert.equal(budget.of('one').largest, 80);
  assert.ok(!one(81));
  assert.ok(one(60));
  assert.ok(again(20));
  assert.ok(!one(61));
  assert.ok(other(16));
  assert.ok(!other(17));
  assert.ok(again(0));
  assert.ok(one(1));
  assert.equal(budget.taken, 17);
  assert.ok(other(74));
  // 19 more, not 20, of the 25 that are free: the one that is left still counts.
  assert.ok(!one(21));
  assert.ok(one(20));
  assert.ok(one(0));
  assert.ok(other(0));
  assert.equal(budget.taken, 0);
  assert.ok(one(80));
});

test('a hold of several shares takes of all of them or of none', () => {
  const [large, small] = [createFairBudget(100), createFairBudget(10)];
  const hold = createHold(large.of('one'), small.of('other'));
  assert.ok(hold(8));
  assert.ok(!hold(9));
  assert.deepEqual([large.taken, small.taken], [8, 8]);
  assert.ok(hold(0));
  assert.deepEqual([large.taken, small.taken], [0, 0]);
});

test('a hold that stays as it is, or shrinks, needs no room', () => {
  const budget = createFairBudget(5);
  const hold = createHold(budget.of('one'));
  assert.ok(hold(4));
  budget.of('other').add(10);
  assert.ok(hold(4));
  assert.ok(!hold(4.5));
  assert.ok(hold(3));
});
