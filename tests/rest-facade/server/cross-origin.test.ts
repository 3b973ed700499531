import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadRpcs } from '../../../rest-facade/protos.js';
import { createRoutes } from '../../../rest-facade/request/rules.js';
import { answerAll } from '../answers.js';
import { startBoth, withKey } from '../facade.js';
import { serveApp } from '../serve-app.js';

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

test('pages of the configured origins may call, refusals included, and read the request id', async (t) => {
  const { url } = await startBoth(t, answerAll, {
    REST_CORS_ORIGINS: `https://other.example, ${page}`,
  });
  const ask = (headers: Record<string, string>) => fetch(url + score, { headers });
  const allowed = {
    'access-control-allow-origin': page,
    'access-control-expose-headers': 'retry-after,x-face-count,x-request-id',
    vary: 'Origin',
  };
  const answered = await ask({ ...withKey, origin: page });
  assert.equal(answered.status, 200);
  assert.deepEqual(told(answered), allowed);
  const refused = await ask({ origin: page });
  assert.equal(refused.status, 401);
  assert.deepEqual(told(refused), allowed);

  const foreign = await ask({ ...withKey, origin: 'https://app.example.evil.example' });
  assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  assert.equal(foreign.headers.get('vary'), 'Origin');
});

test('a preflight names methods and headers, and no cookies', async (t) => {
  const { url, core } = await startBoth(t, answerAll, { REST_CORS_ORIGINS: page });
  const answer = await fetch(url + score, preflight);
  assert.equal(answer.status, 204);
  assert.deepEqual(told(answer), {
    'access-control-allow-headers':
      'apikey,authorization,content-type,traceparent,x-api-key,x-company-password,x-request-id',
    'access-control-allow-methods': 'GET,POST,PUT',
    'access-control-allow-origin': page,
    'access-control-expose-headers': 'retry-after,x-face-count,x-request-id',
    'access-control-max-age': '600',
    vary: 'Origin',
  });
  // The methods of the path, as without a page.
  assert.equal(answer.headers.get('allow'), 'GET, PUT, OPTIONS');
  assert.equal((await fetch(`${url}/no/such`, preflight)).status, 404);
  assert.deepEqual(core.calls, []);
});

test('a preflight names the method and the header of a new route too', async (t) => {
  const route = createRoutes(loadRpcs()).find(({ verb }) => verb === 'PUT');
  assert.ok(route?.headers[0]);
  const routes = [{ ...route, verb: 'DELETE', headers: [{ ...route.headers[0], name: 'x-reason' }] }];
  const port = await serveApp(t, { routes, corsOrigins: [page] });
  const { headers } = await fetch(`http://127.0.0.1:${port}${score}`, preflight);
  assert.equal(headers.get('access-control-allow-methods'), 'DELETE');
  assert.match(headers.get('access-control-allow-headers') ?? '', /,x-reason,x-request-id$|,x-reason$/);
});

test('an asterisk lets all pages in', async (t) => {
  const { url } = await startBoth(t, answerAll, { REST_CORS_ORIGINS: '*' });
  const answer = await fetch(`${url}/livez`, { headers: { origin: page } });
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
});
