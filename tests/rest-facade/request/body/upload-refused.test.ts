import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadOptions } from '../../../../rest-facade/request/body/pump.js';
import { readBytes } from '../../../../rest-facade/request/body/read-bytes.js';
import { readMultipart } from '../../../../rest-facade/request/body/read-multipart.js';
import { reserveBody } from '../../../../rest-facade/request/body/reserve-body.js';
import { refuse } from '../../../../runtime/errors/refusal.js';
import { createFairBudget } from '../../../../runtime/limits/fair-budget.js';
import { readRefusal, withKey } from '../../facade.js';
import { limits, serveApp } from '../../serve-app.js';

const oneFile = { sentAs: 'file', maxFiles: 1, names: new Set<string>(), areSeparate: false };

type Read = (request: IncomingMessage, options: ReadOptions) => Promise<unknown>;

const readers: Record<string, Read> = {
  form: (request, options) => readMultipart(request, oneFile, limits, options, () => undefined),
  'JSON body': readBytes,
};

const begin = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n' + 'x'.repeat(500);

for (const [what, read] of Object.entries(readers)) {
  const setUp = () => {
    const budget = createFairBudget(1e6);
    const request = Object.assign(new Readable({ read: () => undefined }), {
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    });
    const caller = new AbortController();
    const reservation = reserveBody(budget.of('caller'));
    const reading = read(request as unknown as IncomingMessage, {
      signal: caller.signal,
      reserve: reservation.grow,
      maxBodyBytes: 1_000,
      response: {} as ServerResponse,
    }).finally(reservation.release);
    /** The rest of the body comes, which the response to a refusal waits for. */
    const drain = async () => {
      request.resume();
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      assert.ok(!request.isPaused());
      request.push('x'.repeat(100));
      request.push(null);
      await once(request, 'end');
    };
    return { budget, request, caller, reading, drain };
  };

  test(`a refused ${what} holds nothing, nor does what still comes of it`, async () => {
    const { budget, request, reading, drain } = setUp();
    request.push(begin);
    await nextTurn();
    assert.ok(budget.taken > 0);
    request.push('x'.repeat(500));
    await assert.rejects(reading, { reason: 'BODY_TOO_LARGE' });
    assert.ok(request.isPaused());
    assert.equal(budget.taken, 0);
    await drain();
    assert.equal(budget.taken, 0);
  });

  test(`nor does a ${what} whose time is up`, async () => {
    const { budget, request, caller, reading, drain } = setUp();
    request.push(begin);
    await nextTurn();
    const timeIsUp = refuse('DEADLINE', 'time is up');
    caller.abort(timeIsUp);
    await assert.rejects(reading, timeIsUp);
    assert.equal(budget.taken, 0);
    await drain();
    assert.equal(budget.taken, 0);
  });

  test(`a ${what} of a lost connection is refused as one`, async () => {
    const { budget, request, reading } = setUp();
    request.push(begin);
    await nextTurn();
    request.destroy(new Error('reset'));
    await assert.rejects(reading, { reason: 'CLIENT_CLOSED' });
    assert.equal(budget.taken, 0);
  });
}

test('a JSON body with no picture in it holds nothing', async (t) => {
  const budget = createFairBudget(1e6);
  const url = `http://127.0.0.1:${await serveApp(t, { budget })}/meter-number-ocr/base64`;
  const table: [body: object, reason: string][] = [
    [{}, 'MISSING_FIELD'],
    [{ image: 'x' }, 'INVALID_DATA_URL'],
    [{ image: 'data:image/png;base64,%' }, 'INVALID_BASE64'],
    [{ image: 'data:image/png;base64,' }, 'EMPTY_IMAGE'],
  ];
  for (const [json, reason] of table) {
    const body = JSON.stringify(json);
    const refused = await readRefusal(await fetch(url, { method: 'POST', headers: withKey, body }));
    assert.deepEqual([refused.reason, budget.taken], [reason, 0]);
  }
});
