import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { answerAll } from '../answers.js';
import { detectFace, type ErrorBody, startBoth, withKey } from '../facade.js';
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
    if (method !== 'HEAD') assert.equal(((await answer.json()) as ErrorBody).reason, 'METHOD_NOT_ALLOWED');
  }
  const options = await fetch(`${url}/face_config_score`, { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('allow'), 'GET, OPTIONS');
  assert.equal((await fetch(`${url}/nothing`, { method: 'OPTIONS' })).status, 404);
  assert.deepEqual(core.calls, []);
});

test("the core's refusals reach the caller with status, details and Retry-After", async (t) => {
  const refusals: [CoreRefusal, number][] = [
    [new CoreRefusal(status.UNAUTHENTICATED, 'INVALID_API_KEY', 'unknown key'), 401],
    [new CoreRefusal(status.NOT_FOUND, 'NO_FACE', 'no face', { threshold: '0.5' }), 422],
    [new CoreRefusal(status.RESOURCE_EXHAUSTED, 'RATE_LIMITED', 'slow down', {}, 17), 429],
    [new CoreRefusal(status.INVALID_ARGUMENT, 'UNSUPPORTED_IMAGE_TYPE', 'HEIC: convert'), 415],
    [new CoreRefusal(status.UNAVAILABLE, 'SHUTTING_DOWN', 'later', {}, 1), 503],
  ];
  let next: CoreRefusal | undefined;
  const { url } = await startBoth(t, () => {
    throw next ?? new Error('no script');
  });
  for (const [refusal, http] of refusals) {
    next = refusal;
    const answer = await detectFace(url);
    assert.equal(answer.status, http);
    const retry = refusal.retryAfterSeconds;
    assert.equal(answer.headers.get('retry-after'), retry === undefined ? null : String(retry));
    const { request_id: id, ...body } = (await answer.json()) as ErrorBody;
    assert.ok(id.length > 0);
    assert.deepEqual(body, {
      message: refusal.message,
      code: status[refusal.code],
      reason: refusal.reason,
      details: refusal.details,
    });
  }
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
  assert.match(logged(), /secret/);
});
