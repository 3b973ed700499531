import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerAll } from '../answers.js';
import { startBoth, withKey } from '../facade.js';

const page = 'https://app.example';
const score = '/v1/companies/acme/detection-score';
const preflight = {
  method: 'OPTIONS',
  headers: {
    origin: page,
    'access-control-request-method': 'PUT',
    'access-control-request-headers': 'apikey,content-type,x-company-password',
  },
};
/** What an answer says to pages of other origins. */
const told = (answer: Response) =>
  Object.fromEntries([...answer.headers].filter(([name]) => /^(access-control-|vary$)/.test(name)));

test('pages of other origins are told nothing unless it is configured', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const answer of [
    await fetch(url + score, { headers: { ...withKey, origin: page } }),
    await fetch(url + score, preflight),
  ])
    assert.deepEqual(told(answer), {});
});

test('pages of the configured origins may call, refusals included, and read the request id, but not administrate', async (t) => {
  const { url, facade } = await startBoth(t, answerAll, {
    REST_CORS_ORIGINS: `https://other.example, ${page}`,
    REST_ADMIN_PORT: '0',
  });
  const ask = (headers: Record<string, string>) => fetch(url + score, { headers });
  const allowed = { 'access-control-allow-origin': page, 'access-control-expose-headers': '*', vary: 'Origin' };
  const answered = await ask({ ...withKey, origin: page });
  assert.equal(answered.status, 200);
  assert.deepEqual(told(answered), allowed);
  const refused = await ask({ origin: page });
  assert.equal(refused.status, 401);
  assert.deepEqual(told(refused), allowed);

  const foreign = await ask({ ...withKey, origin: 'https://app.example.evil.example' });
  assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  assert.equal(foreign.headers.get('vary'), 'Origin');
  const admin = await fetch(`http://127.0.0.1:${facade.adminPort}/v1/admin/companies`, preflight);
  assert.deepEqual(told(admin), {});
});

test('a preflight allows methods and headers, and no cookies', async (t) => {
  const { url, core } = await startBoth(t, answerAll, { REST_CORS_ORIGINS: page });
  const answer = await fetch(url + score, preflight);
  assert.equal(answer.status, 204);
  assert.deepEqual(told(answer), {
    'access-control-allow-headers': preflight.headers['access-control-request-headers'],
    'access-control-allow-methods': 'GET,HEAD,PUT,PATCH,POST,DELETE',
    'access-control-allow-origin': page,
    'access-control-expose-headers': '*',
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
  });
  // The methods of the path, as without a page.
  assert.equal(answer.headers.get('allow'), 'GET, PUT, OPTIONS');
  assert.equal((await fetch(`${url}/no/such`, preflight)).status, 404);
  assert.deepEqual(core.calls, []);
});

test('pages of the configured origins may call by Connect and gRPC-Web', async (t) => {
  const { url } = await startBoth(t, answerAll, { REST_CORS_ORIGINS: page });
  const rpc = `${url}/imageanalysis.v1.ScoreConfigService/GetDetectionScore`;
  const { status, headers } = await fetch(rpc, preflight);
  assert.deepEqual([status, headers.get('allow')], [204, 'POST, OPTIONS']);
  assert.equal(headers.get('access-control-allow-origin'), page);
  const called = await fetch(rpc, {
    method: 'POST',
    headers: { ...withKey, origin: page, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(called.status, 200);
  assert.deepEqual(told(called), {
    'access-control-allow-origin': page,
    'access-control-expose-headers': '*',
    vary: 'Origin',
  });
});

test('an asterisk lets all pages in', async (t) => {
  const { url } = await startBoth(t, answerAll, { REST_CORS_ORIGINS: '*' });
  const answer = await fetch(`${url}/livez`, { headers: { origin: page } });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
});
