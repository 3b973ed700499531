import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRunningTime } from './running-time.js';

test('a standstill counts once and takes no time, and what takes long in many short steps is none', () => {
  let ms = 0;
  const time = createRunningTime(() => ms);
  for (let step = 0; step < 10; step += 1, ms += 4_000) assert.deepEqual([time.stops(), time.now()], [0, ms]);
  ms += 60_000;
  assert.deepEqual([time.stops(), time.now()], [1, 36_000]);
  ms += 1_000;
  assert.deepEqual([time.stops(), time.now()], [1, 37_000]);
});
