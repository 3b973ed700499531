import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import express from 'express';
import { loadRpcs } from '../../../rest-facade/protos/rpcs.js';
import { createRoutes } from '../../../rest-facade/request/create-routes.js';
import { createApp, createRouter } from '../../../rest-facade/server/app.js';
import { expressMessages } from '../../../rest-facade/server/http/express-messages.js';
import { collectLog } from '../../helpers/collect-log.js';
import { listen } from '../../helpers/net/listen.js';
import { type ErrorBody, withKey } from '../facade.js';
import { exchange } from '../raw-http.js';
import { serveApp } from '../serve-app.js';

/** Answers every call with its own message. */
const echo = {
  call: (_rpc: unknown, message: object) => Promise.resolve({ detection_score: 1, ...message }),
  stream: () => assert.fail('no stream'),
};

test('a path takes whole segments, in their case, and an encoded slash stays in one', async (t) => {
  const port = await serveApp(t, { core: echo });
  const table: [path: string, company: string | undefined][] = [
    ['/v1/companies/acme/detection-score', 'acme'],
    ['/v1/companies/a%2Fb/detection-score', 'a/b'],
    ['/v1/companies/%C3%A9+/detection-score', 'é+'],
    ['/v1/companies//detection-score', undefined],
    ['/v1/companies/acme/detection-score/', undefined],
    ['/v1/companies/acme', undefined],
    ['/V1/companies/acme/detection-score', undefined],
    ['/v1/companies/a/b/detection-score', undefined],
    ['//v1/companies/acme/detection-score', undefined],
  ];
  for (const [path, company] of table) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: withKey });
    const body = (await answer.json()) as { company?: string };
    assert.deepEqual([answer.status, body.company], [company ? 200 : 404, company], path);
  }
});

test('a variable that is not well encoded is refused', async (t) => {
  const port = await serveApp(t, { core: echo });
  for (const company of ['%', '%2', '%zz', '%ff', '%ED%A0%80']) {
    const path = `/v1/companies/${company}/detection-score`;
    const { status, body } = await exchange(port, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const { reason, details } = JSON.parse(body) as ErrorBody;
    assert.deepEqual([status, reason, details], [400, 'INVALID_FIELD', { field: 'path' }], company);
  }
});

test('a method that a path lacks is refused with those that all routes of the path have', async (t) => {
  const [one, two] = createRoutes(loadRpcs()).filter(({ verb }) => verb === 'PUT');
  assert.ok(one && !two);
  // As `POST /v1/companies/mine/{…}` beside `PUT /v1/companies/{company}/…` would be.
  const other = { ...one, verb: 'POST', template: '/v1/companies/{mine}/{what}' };
  const again = { ...one, template: '/v1/{all}/acme/{what}' };
  const port = await serveApp(t, { core: echo, routes: [one, other, again] });
  const path = '/v1/companies/acme/detection-score';
  for (const method of ['GET', 'HEAD', 'DELETE', 'M-SEARCH']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: withKey });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'PUT, POST'], method);
  }
  const options = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'OPTIONS' });
  assert.deepEqual([options.status, options.headers.get('allow')], [204, 'PUT, POST, OPTIONS']);
});

test('a router in the middle of another application answers what is below its path', async (t) => {
  const app = express();
  app.use((_request, response, next) => {
    response.setHeader('x-outer', 'yes');
    next();
  });
  const collected = collectLog();
  app.use('/images', createRouter({ core: echo, log: collected.log }));
  app.get('/elsewhere', (_request, response) => void response.send('outer'));
  const port = await listen(t, createServer(app));
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: withKey });
    assert.equal(answer.headers.get('x-outer'), 'yes');
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
  };
  const shown = await ask('/images/face_config_score?detection&company=acme&password=p');
  assert.equal(shown.status, 200, shown.text);
  assert.equal(shown.text, '{"message":"success","company":"acme","detection_score":1.0}');
  assert.equal(shown.headers.get('etag'), null);
  const wrong = await ask('/images/face_detect_single');
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  const unknown = await ask('/images/nowhere');
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /"message":"path is \\"\/nowhere\\", want/);
  await collected.waitFor(({ path, status }) => path === '/images/…' && status === 404);
  assert.deepEqual((await ask('/elsewhere')).text, 'outer');
  assert.equal((await ask('/face_config_score')).status, 404);
});

test('Express changes the prototype of no request and no response', async (t) => {
  const app = createApp({ core: echo });
  const sets: { readonly target: object; readonly before: unknown; readonly after: unknown }[] = [];
  const { setPrototypeOf } = Object;
  t.mock.method(Object, 'setPrototypeOf', (target: object, after: object | null) => {
    sets.push({ target, before: Object.getPrototypeOf(target) as unknown, after });
    return setPrototypeOf(target, after) as unknown;
  });
  const made: IncomingMessage[] = [];
  const server = createServer(expressMessages(app), (request, response) => {
    made.push(request);
    assert.equal(Object.getPrototypeOf(request), app.request);
    assert.equal(Object.getPrototypeOf(response), app.response);
    app(request, response);
  });
  const port = await listen(t, server);
  assert.equal((await fetch(`http://127.0.0.1:${port}/nowhere`)).status, 404);
  const own = sets.filter(({ target }) =>
    made.some((request) => target === request || target === (request as { res?: object }).res),
  );
  // Of the request and the response, as Express always does, and to what they had.
  assert.equal(own.length, 2);
  for (const { before, after } of own) assert.equal(after, before);
});
