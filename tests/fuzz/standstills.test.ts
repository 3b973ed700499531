import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStandstillCounter } from './standstills.js';

test('what fell into a standstill is done again', async () => {
  let now = 0;
  const standstills = createStandstillCounter(() => now);
  const minutes = [1, 2, 0];
  const result = await standstills.repeatAfter(() => {
    now += (minutes.shift() ?? 0) * 60_000;
    return Promise.resolve(minutes.length);
  });
  assert.equal(result, 0);
});

test('what took long in many short steps is not', async () => {
  let now = 0;
  const standstills = createStandstillCounter(() => now);
  let times = 0;
  const result = await standstills.repeatAfter(() => {
    now += 4_000;
    times += 1;
    return Promise.resolve(times);
  });
  assert.equal(result, 1);
});
