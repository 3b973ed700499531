import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStopwatch, eachInTurn } from '../../../core-server/common/stopwatch.js';

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
