import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeInTurn } from '../../../runtime/process/close-in-turn.js';

test('closers share one grace time, the last first', async (t) => {
  let time = 1_000;
  t.mock.method(performance, 'now', () => time);
  const given: number[] = [];
  const closerThatTakes = (ms: number) => (graceMs: number) => {
    given.push(graceMs);
    time += ms;
    return Promise.resolve();
  };
  await closeInTurn([0, 400, 0, 300].map(closerThatTakes), 500);
  assert.deepEqual(given, [500, 200, 200, 0]);
});
