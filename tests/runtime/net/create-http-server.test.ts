import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHttpServer } from '../../../runtime/net/create-http-server.js';

test('behind headers that took all their time, a body has all of its own', () => {
  for (const requestTimeoutMs of [100, 30_000]) {
    const { headersTimeout, requestTimeout } = createHttpServer(() => {}, { requestTimeoutMs });
    assert.ok(requestTimeout > headersTimeout + requestTimeoutMs, `${requestTimeout} ms in all`);
  }
});
