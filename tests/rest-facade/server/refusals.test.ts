import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { answerAll } from '../answers.js';
import { type ErrorBody, startBoth, withKey } from '../facade.js';
import { CoreRefusal } from '../fake-core.js';

test('the error body, its headers, and nothing else', async (t) => {
  const { url } = await startBoth(t, answerAll);
  // A part of the path may be a password.
  const answer = await fetch(`${url}/nothing&password=secret`, { headers: { 'x-request-id': 'my-id_1' } });
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), {
    message: 'path is "/nothing…", want that of an operation',
    code: 'NOT_FOUND',
    reason: 'NO_SUCH_ROUTE',
    request_id: 'my-id_1',
    details: { field: 'path', value: '/nothing…' },
  });
  assert.deepEqual(
    Object.fromEntries(
      [...answer.headers].filter(([name]) => !/^(connection|content-length|date|keep-alive)$/.test(name)),
    ),
    {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'application/json; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'my-id_1',
    },
  );
});

test('methods that a path does not take', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const table: [string, string, string][] = [
    ['GET', '/face_detect_single', 'POST'],
    ['DELETE', '/face_config_score?detection=1', 'GET'],
    // HEAD would set the score.
    ['HEAD', '/face_config_score?detection=1', 'GET'],
    ['PATCH', '/v1/companies/a/detection-score', 'GET, PUT'],
    ['POST', '/livez', 'GET, HEAD'],
  ];
  for (const [method, path, allow] of table) {
    const answer = await fetch(`${url}${path}`, { method, headers: withKey });
    assert.equal(answer.status, 405, path);
    assert.equal(answer.headers.get('allow'), allow);
    if (method === 'HEAD') continue;
    const { reason, details } = (await answer.json()) as ErrorBody;
    assert.deepEqual([reason, details], ['METHOD_NOT_ALLOWED', { method, allow }]);
  }
  const options = await fetch(`${url}/face_config_score`, { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('allow'), 'GET, OPTIONS');
  assert.equal((await fetch(`${url}/nothing`, { method: 'OPTIONS' })).status, 404);
  assert.deepEqual(core.calls, []);
});

test('a fault without a reason is INTERNAL, its text goes to the log only', async (t) => {
  const { url, logged } = await startBoth(t, () => {
    throw new CoreRefusal(status.INTERNAL, undefined, 'TypeError at /srv/secret.js:1');
  });
  const answer = await fetch(`${url}/face_config_score?detection`, { headers: withKey });
  const text = await answer.text();
  assert.equal(answer.status, 500);
  assert.equal((JSON.parse(text) as ErrorBody).reason, 'INTERNAL');
  assert.doesNotMatch(text, /secret/);
  // As an error, with its cause.
  assert.match(logged(), /^\{"level":50,.*"err":.*secret/);
});
