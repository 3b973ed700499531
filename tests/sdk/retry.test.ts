import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RefusedError } from 'image-analysis/rest';
import { retried } from '../../sdk/typescript/retry.js';

const queueFull = new RefusedError('full', {
  reason: 'QUEUE_FULL',
  code: 'RESOURCE_EXHAUSTED',
  details: {},
  retryAfterSeconds: 4,
});

test('the delay before a retry ends with the signal', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const abort = new AbortController();
  const limit = { signal: abort.signal, deadline: Infinity };
  const waiting = retried(() => Promise.reject(queueFull), {}, limit);
  await setImmediate();
  abort.abort(new Error('changed my mind'));
  await assert.rejects(waiting, /changed my mind/);
});

test('a delay that the call has no time for is not waited for', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => 500);
  const limit = { signal: new AbortController().signal, deadline: 4_499 };
  let tries = 0;
  const attempt = () => {
    tries += 1;
    return tries === 1 ? Promise.reject(queueFull) : Promise.resolve('answer');
  };
  await assert.rejects(retried(attempt, {}, limit), queueFull);
  tries = 0;
  const waiting = retried(attempt, {}, { ...limit, deadline: 4_500 });
  await setImmediate();
  t.mock.timers.tick(4_000);
  assert.equal(await waiting, 'answer');
});
