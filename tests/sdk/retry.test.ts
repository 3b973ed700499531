import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { RefusedError } from 'image-analysis/rest';
import { retried } from '../../sdk/typescript/retry.js';

test('the delay before a retry ends with the signal', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queueFull = new RefusedError('full', {
    reason: 'QUEUE_FULL',
    code: 'RESOURCE_EXHAUSTED',
    details: {},
    retryAfterSeconds: 4,
  });
  const abort = new AbortController();
  const waiting = retried(() => Promise.reject(queueFull), {}, abort.signal);
  await setImmediate();
  abort.abort(new Error('changed my mind'));
  await assert.rejects(waiting, /changed my mind/);
});
