import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from '../../../runtime/limits/turns.js';

test('what a connection drops is never begun, and others have their turn', async () => {
  const begun: string[] = [];
  const turns = createTurns(() => 'address');
  const [one, other] = [{}, {}];
  for (const name of ['first', 'second', 'third']) turns.take(one, () => begun.push(name));
  turns.take(other, () => begun.push('other'));
  turns.drop(one);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(begun, ['first', 'other']);
});
