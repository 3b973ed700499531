import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { createUnread } from '../../../runtime/limits/unread.js';

test('a caller has room if there is some for one more like those that it has not read', () => {
  const budget = createFairBudget(100);
  const unread = createUnread();
  const [one, other] = [budget.of('one'), budget.of('other')];
  const taken = [10, 30].map((bytes) => unread.take(one, bytes));
  other.add(20);
  // Another 20, not 40.
  assert.ok(unread.hasRoom(one));
  other.add(6);
  assert.ok(!unread.hasRoom(one));
  for (const giveBack of taken) giveBack?.();
  other.add(54);
  // What it has read counts no more.
  assert.ok(unread.hasRoom(one));
});
