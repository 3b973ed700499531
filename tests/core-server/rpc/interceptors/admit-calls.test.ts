import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { status } from '@grpc/grpc-js';
import { refuse } from '../../../../runtime/errors/refusal.js';
import { collectLog } from '../../../helpers/collect-log.js';
import { deferred } from '../../../helpers/deferred.js';
import { call, openAccess, serve, withKey } from '../served-calls.js';

for (const { how, maxDeadlineMs, timeoutMs, reason, reasons } of [
  { how: 'answered', maxDeadlineMs: 50, timeoutMs: undefined, reason: 'INVALID_API_KEY', reasons: ['DEADLINE'] },
  { how: 'cancelled', maxDeadlineMs: 5_000, timeoutMs: 500, reason: 'INVALID_API_KEY', reasons: [] },
  // An operator has to know of it, however long it took.
  {
    how: 'cancelled',
    maxDeadlineMs: 5_000,
    timeoutMs: 500,
    reason: 'STORE_UNAVAILABLE',
    reasons: ['STORE_UNAVAILABLE'],
  },
] as const)
  test(`${reason} of a key, known once its call was ${how}, is logged as a fault or not at all`, async (t) => {
    const { log, entries } = collectLog();
    const [lookup, ended] = [deferred<never>(), deferred<object>()];
    const access = { ...openAccess, authenticate: () => lookup.promise };
    const client = await serve(t, () => assert.fail('it was admitted'), {
      ...{ access, maxDeadlineMs, log },
      callEnded: ended.resolve,
    });
    // Else the time may be over before the call is sent.
    await promisify(client.waitForReady.bind(client))(Infinity);
    await assert.rejects(call(client, withKey(), timeoutMs), { code: status.DEADLINE_EXCEEDED });
    await ended.promise;
    lookup.reject(refuse(reason, 'no'));
    await nextTurn();
    assert.deepEqual(
      entries.map(({ reason, client }) => ({ reason, client })),
      reasons.map((reason) => ({ reason, client: '127.0.0.1' })),
    );
  });
