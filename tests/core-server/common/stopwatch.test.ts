import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStopwatch, eachInTurn } from '../../../core-server/common/stopwatch.js';

test('the times of a step add up', async () => {
  const clock = [0, 5, 100, 107];
  const { time, timings } = createStopwatch(new AbortController().signal, () => clock.shift() ?? NaN);
  for (const result of ['a', 'b']) assert.equal(await time('work', () => result), result);
  assert.deepEqual(timings, { work: 12 });
});

test('between items the thread hears that the caller is gone', async () => {
  const caller = new AbortController();
  const { time } = createStopwatch(caller.signal);
  const done: number[] = [];
  const all = eachInTurn([1, 2, 3], 'work', time, (item) => {
    done.push(item);
    setImmediate(() => caller.abort());
  });
  await assert.rejects(all, { name: 'AbortError' });
  assert.deepEqual(done, [1]);
});
