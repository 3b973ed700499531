import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import express from 'express';
import { pino } from 'pino';
import { createConfig } from '../../../rest-facade/config.js';
import { startHttpServer } from '../../../rest-facade/server/http/http-server.js';
import { startRestFacade } from '../../../rest-facade/server/start-rest-facade.js';
import { noTracing } from '../../../runtime/observe/tracing.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { createForm } from '../../helpers/net/form.js';
import { answerAll } from '../answers.js';
import { detectFace, readRefusal, startBoth, startFacade, startHeld, withKey } from '../facade.js';
import { exchange, openSocket, readToEnd } from '../raw-http.js';

test('/livez, /readyz and /openapi.json need no key', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  for (const path of ['/livez', '/readyz']) {
    const answer = await fetch(`${url}${path}`);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { message: 'success' });
    const head = await fetch(`${url}${path}`, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), '');
  }
  assert.equal((await fetch(`${url}/openapi.json?x`)).status, 200);
  assert.deepEqual(core.calls, []);
});

test('/readyz follows the health of the core, /livez does not', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  core.health.setStatus('', 'NOT_SERVING');
  const answer = await fetch(`${url}/readyz`);
  assert.equal(answer.headers.get('retry-after'), '1');
  const { status, reason } = await readRefusal(answer);
  assert.deepEqual([status, reason], [503, 'CORE_UNAVAILABLE']);
  core.health.setStatus('', 'SERVING');
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
  core.kill();
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
});

test('a probe is logged for debugging only while it succeeds', async (t) => {
  const { url, core, logged } = await startBoth(t, answerAll);
  for (const path of ['/livez', '/readyz']) await fetch(`${url}${path}`);
  core.kill();
  await fetch(`${url}/readyz`);
  const lines = logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; route: string; status: number });
  assert.deepEqual(
    lines.map(({ level, route, status }) => [level, route, status]),
    [
      [20, '/livez', 200],
      [20, '/readyz', 200],
      [40, '/readyz', 503],
    ],
  );
});

test('a harmless request id is kept, any other replaced; each goes everywhere', async (t) => {
  const { url, core, logged } = await startBoth(t, answerAll);
  const send = async (id: string | undefined) => {
    const headers = id === undefined ? withKey : { ...withKey, 'x-request-id': id };
    const answer = await fetch(`${url}/face_config_score?detection`, { headers });
    const returned = answer.headers.get('x-request-id') ?? '';
    assert.deepEqual(core.calls.at(-1)?.metadata.get('x-request-id'), [returned]);
    assert.ok(logged().includes(`"request_id":"${returned}"`));
    return returned;
  };
  for (const id of ['a', 'A-z_0', 'x'.repeat(128)]) assert.equal(await send(id), id);
  for (const id of [undefined, '', 'x'.repeat(129), 'a b', 'a/b', '"', 'a,b'])
    assert.match(await send(id), /^[0-9a-f-]{36}$/, id);
  assert.notEqual(await send(undefined), await send(undefined));
});

test('no secret reaches the log', async (t) => {
  const { url, logged } = await startBoth(t, answerAll);
  const secret = 'TOPSECRET';
  const headers = { apikey: `key${secret}`, 'x-company-password': secret };
  const queries = ['detection=0.5&password=', 'detection=bad&password=', 'detection&password=%ff'];
  for (const query of queries) await fetch(`${url}/face_config_score?${query}${secret}`, { headers });
  await fetch(`${url}/v1/companies/acme/detection-score`, { headers });
  await fetch(`${url}/nothing?${secret}`, { headers });
  await fetch(`${url}/face_config_score&password=${secret}`, { headers });
  const body = createForm(Buffer.from(secret), { company: secret });
  await fetch(`${url}/face_detect_single`, { method: 'POST', headers, body });
  assert.equal(logged().match(/"msg":"request"/g)?.length, 7);
  assert.match(logged(), /"route":"\/face_config_score","status":400/);
  assert.match(logged(), /"path":"\/face_config_score…","status":404/);
  assert.doesNotMatch(logged(), new RegExp(secret));
});

test('the line of a refusal names the field, but none that a client made up', async (t) => {
  const { url, logged } = await startBoth(t, answerAll);
  const ask = (fields: Record<string, string>) => detectFace(url, undefined, fields);
  await ask({ min_score: 'high' });
  assert.match(logged(), /"status":400,"reason":"INVALID_SCORE","field":"min_score","duration_ms"/);
  assert.doesNotMatch(logged(), /high/);
  await ask({ '\x9b31mTOPSECRET': '1' });
  assert.match(logged(), /"reason":"UNKNOWN_FIELD","duration_ms"/);
  assert.doesNotMatch(logged(), /TOPSECRET/);
});

test('closing lets requests under way finish and refuses new ones', async (t) => {
  const { url, facade, port, called, answer } = await startHeld(t, { REST_SHUTDOWN_GRACE_MS: '60000' });
  const pending = fetch(`${url}/face_config_score?detection`, { headers: withKey });
  await called;
  const closed = facade.close();
  await assert.rejects(openSocket(port));
  answer();
  const { status, headers } = await pending;
  assert.deepEqual([status, headers.get('connection')], [200, 'close']);
  await closed;
});

test('closing ends a connection that was to be kept alive by a response that had begun', async () => {
  const begun = deferred<ServerResponse>();
  const app = express().use((_request, response) => {
    response.flushHeaders();
    begun.resolve(response);
  });
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  const socket = await openSocket(server.port);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const answer = readToEnd(socket);
  const response = await begun.promise;
  const started = performance.now();
  const closed = server.close(60_000);
  response.end();
  assert.equal((await answer).headers.connection, 'keep-alive');
  await closed;
  assert.ok(performance.now() - started < 30_000);
});

test('within the delay a connection that was kept alive ends with a response', async (t) => {
  const { facade, port } = await startFacade(t, 1, { REST_SHUTDOWN_DELAY_MS: '500' });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const socket = await openSocket(port);
  socket.write(get('/livez'));
  await once(socket, 'data');
  const closed = facade.close();
  const answer = readToEnd(socket);
  socket.write(get('/livez'));
  const { status, headers } = await answer;
  assert.deepEqual([status, headers.connection], [200, 'close']);
  const { reason } = JSON.parse((await exchange(port, get('/readyz'))).body) as { reason: string };
  assert.equal(reason, 'SHUTTING_DOWN');
  await closed;
  await assert.rejects(openSocket(port));
});

test('closing refuses what does not finish within the grace', async (t) => {
  const { url, facade, logged, called } = await startHeld(t);
  const pending = fetch(`${url}/face_config_score?detection`, { headers: withKey });
  await called;
  const started = performance.now();
  await facade.close();
  const took = performance.now() - started;
  assert.ok(took >= 190 && took < 20_000, String(took));
  assert.equal((await pending).headers.get('connection'), 'close');
  const { status, reason } = await readRefusal(await pending);
  assert.deepEqual([status, reason], [503, 'SHUTTING_DOWN']);
  await eventually(() => logged().includes('"status":503,"reason":"SHUTTING_DOWN"'));
});

test('each port listens on its own address', async (t) => {
  const { facade } = await startFacade(t, 1, {
    ...{ REST_ADMIN_HOST: '127.0.0.2', REST_ADMIN_PORT: '0' },
    ...{ REST_METRICS_HOST: '127.0.0.3', REST_METRICS_PORT: '0' },
  });
  for (const address of [
    `127.0.0.1:${facade.port}/livez`,
    `127.0.0.2:${facade.adminPort}/livez`,
    `127.0.0.3:${facade.metricsPort}/metrics`,
  ])
    assert.equal((await fetch(`http://${address}`)).status, 200, address);
});

test('a port that is taken is an error', async (t) => {
  const { port } = await startBoth(t, answerAll);
  await assert.rejects(startFacade(t, 1, { REST_PORT: String(port) }), { code: 'EADDRINUSE' });
});

test('a facade that does not start ends its traces', async () => {
  for (const mistake of [{ REST_HOST: '192.0.2.1' }, { REST_TLS_CERT: '/no', REST_TLS_KEY: '/no' }]) {
    const config = createConfig({ REST_PORT: '0', REST_CORE_ADDRESS: '127.0.0.1:1', ...mistake });
    let isEnded = false;
    const close = () => {
      isEnded = true;
      return Promise.resolve();
    };
    const log = pino({ level: 'silent' });
    await assert.rejects(startRestFacade({ config, log, tracing: { ...noTracing, close } }));
    assert.ok(isEnded, Object.keys(mistake).join());
  }
});
