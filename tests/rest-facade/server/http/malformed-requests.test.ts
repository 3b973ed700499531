import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '../../../helpers/eventually.js';
import { answerAll } from '../../answers.js';
import { type ErrorBody, readHeldBytes, readMetrics, startBoth, startHeld } from '../../facade.js';
import { exchange, openSocket, readToEnd } from '../../raw-http.js';

test('what is not an HTTP request is answered in JSON and closed', async (t) => {
  const { port, logged, facade } = await startBoth(t, answerAll, { REST_METRICS_PORT: '0' });
  const noRequest = /^the bytes are not an HTTP request/;
  const table: [string, RegExp][] = [
    ['nonsense\r\n\r\n', noRequest],
    ['GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', /^host is missing/],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', noRequest],
    ['POST /face_detect_single HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', noRequest],
    [`GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, /^the request line and headers are too long/],
    ['GET /?password=größe HTTP/1.1\r\nhost: x\r\n\r\n', /^address is not well encoded, want percent-encoded UTF-8$/],
  ];
  for (const [request, message] of table) {
    const answer = await exchange(port, request);
    assert.equal(answer.status, 400);
    assert.match((JSON.parse(answer.body) as ErrorBody).message, message);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.deepEqual(Object.keys(JSON.parse(answer.body) as object), [
      'message',
      'code',
      'reason',
      'request_id',
      'details',
    ]);
  }
  const lines = logged().match(/"status":400,"reason":"INVALID_FIELD",.*"client":"127\.0\.0\.1"/g);
  assert.equal(lines?.length, table.length, logged());
  const counted = await readMetrics(facade);
  const series = 'imageanalysis_rest_requests_total{operation="other",status="400",reason="INVALID_FIELD"}';
  assert.ok(counted.includes(`\n${series} ${table.length}\n`), counted);
});

test('a connection without a request is closed in time, without a response', async (t) => {
  const { port } = await startBoth(t, answerAll, { REST_REQUEST_TIMEOUT_MS: '100' });
  for (const sent of ['', 'GET / HTTP/1.1\r\nhost: x\r\n']) assert.equal((await exchange(port, sent)).text, '');
});

for (const [what, rest, status, reason] of [
  ['is not what its headers say', 'no chunk size\r\n\r\n', 400, 'INVALID_FIELD'],
  ['breaks off', '9\r\nx', 499, 'CLIENT_CLOSED'],
] as const)
  for (const inOne of [true, false])
    test(`a request whose body ${what}, ${inOne ? 'with' : 'after'} its headers, is counted and logged once`, async (t) => {
      const { port, logged, facade } = await startBoth(t, answerAll, { REST_METRICS_PORT: '0' });
      const socket = await openSocket(port);
      const answered = readToEnd(socket);
      const own =
        'host: x\r\napikey: k\r\nx-request-id: mine\r\ncontent-type: image/jpeg\r\ntransfer-encoding: chunked';
      const headers = `POST /face_detect_single HTTP/1.1\r\n${own}\r\n\r\n`;
      if (!inOne) {
        socket.write(`${headers}1\r\nx\r\n`);
        await eventually(async () => (await readHeldBytes(facade)) > 0);
      }
      socket.end(inOne ? headers + rest : rest);
      const answer = await answered;
      // Who has left gets none.
      if (status === 400) assert.deepEqual([answer.status, answer.headers['x-request-id']], [status, 'mine']);
      const series = `imageanalysis_rest_requests_total{operation="POST /face_detect_single",status="${status}",reason="${reason}"} 1`;
      const counted = await eventually(async () =>
        /^imageanalysis_rest_requests_total\{[^]*?$/m.exec(await readMetrics(facade)),
      );
      assert.equal(counted?.[0], series);
      assert.equal(logged().match(/"request_id"/g)?.length, 1, logged());
      assert.match(logged(), new RegExp(`"request_id":"mine".*"status":${status},"reason":"${reason}"`));
    });

test('a request that is refused before its end gets one answer, whatever follows', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const request = 'POST /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const socket = await openSocket(port);
  socket.end(`${request}no chunk size\r\n\r\n`);
  const { text } = await readToEnd(socket);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});

test('bytes after the last request of a connection leave nothing behind, however many arrive', async (t) => {
  const { port, url, called, answer } = await startHeld(t);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  t.after(() => process.off('warning', onWarning));
  const socket = await openSocket(port);
  const answered = readToEnd(socket);
  const headers = 'host: x\r\napikey: key\r\nconnection: close\r\n\r\n';
  socket.write(`GET /face_config_score?detection&company=acme&password=x HTTP/1.1\r\n${headers}`);
  await called;
  for (let count = 0; count < 20; count += 1) {
    socket.write('x');
    // By when it has been read.
    await (await fetch(`${url}/livez`)).text();
  }
  answer();
  assert.equal((await answered).status, 200);
  assert.deepEqual(warnings, []);
});

for (const [what, bytes, answers] of [
  ['bytes that are no request', 'nonsense\r\n\r\n', ['200']],
  ['what is no request, behind two,', 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\nnonsense\r\n\r\n', ['200', '200']],
  [
    'a body that is none',
    'POST /face_detect_single HTTP/1.1\r\nhost: x\r\napikey: key\r\ncontent-type: image/jpeg\r\ntransfer-encoding: chunked\r\n\r\nno chunk size\r\n\r\n',
    ['200', '400'],
  ],
  ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n', ['200']],
] as const)
  test(`${what} does not overtake the answer to a request before it`, async (t) => {
    const { port } = await startBoth(t, answerAll);
    const request =
      'GET /face_config_score?detection&company=acme&password=x HTTP/1.1\r\nhost: x\r\napikey: key\r\n\r\n';
    const { text } = await exchange(port, request + bytes);
    assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), answers);
  });

test('callers who reset their CONNECT end nothing but that', async (t) => {
  const { port, url } = await startBoth(t, answerAll);
  for (let count = 0; count < 20; count += 1) {
    const socket = await openSocket(port);
    socket.write('CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n');
    await nextTurn();
    socket.resetAndDestroy();
  }
  assert.equal((await fetch(`${url}/livez`)).status, 200);
});

test('every refusal is JSON and has a request id, whatever the request line and headers are', async (t) => {
  const { port, core } = await startBoth(t, answerAll);
  const get = (target: string, headers = 'host: x\r\n') =>
    `GET ${target} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`;
  const post = (headers: string, body: string) =>
    `POST /meter-number-ocr/base64 HTTP/1.1\r\nhost: x\r\napikey: k\r\nconnection: close\r\ncontent-type: application/json\r\n${headers}\r\n${body}`;
  const table: [string, number][] = [
    [get('//livez'), 404],
    [get('//[#'), 404],
    [get('/livez/'), 404],
    [get('/./livez'), 404],
    [get('/live%7a'), 404],
    [get('/%ff%2'), 404],
    [get('/__proto__'), 404],
    [get('/v1/companies//detection-score'), 404],
    [get('http://elsewhere/livez'), 200],
    [get('http://[::1/livez'), 200],
    [get('http://[::1'), 200],
    [get('http://?x'), 200],
    [get('/livez', ''), 400],
    [get('/livez', 'host: x\r\nhost: y\r\n'), 400],
    ['GET /livez HTTP/1.0\r\n\r\n', 200],
    [get('/livez', 'host: x\r\nexpect: the-best\r\n'), 200],
    [get('/livez', 'host: x\r\nupgrade: websocket\r\n'), 200],
    ['OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 404],
    ['TRACE /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 405],
    ['CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\nbytes of a tunnel', 405],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [get('/livez', `host: x\r\nx: ${'a'.repeat(17_000)}\r\n`), 400],
    [get('/livez', 'host: x\r\nx: a\0b\r\n'), 400],
    // RFC 9112, 6.1: a length beside chunks is how requests are smuggled.
    [post('transfer-encoding: chunked\r\ncontent-length: 5\r\n', '0\r\n\r\n'), 400],
    [post('transfer-encoding: xchunked\r\n', '0\r\n\r\n'), 415],
    [post('transfer-encoding: Chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 400],
    [post('transfer-encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 415],
    [post('content-encoding: gzip\r\ncontent-length: 2\r\n', '{}'), 415],
    [post('content-encoding: Identity\r\ncontent-length: 2\r\n', '{}'), 400],
    [post('transfer-encoding: chunked\r\n', 'zz\r\n'), 400],
    [post('transfer-encoding: chunked\r\n', '2;a=b\r\n{}\r\n0\r\n\r\n'), 400],
  ];
  for (const [request, http] of table) {
    const { status: got, headers, body } = await exchange(port, request);
    assert.equal(got, http, request.slice(0, 80));
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
    if (http === 200) continue;
    assert.match(headers['content-type'] ?? '', /^application\/json/, request.slice(0, 80));
    const { request_id: id } = JSON.parse(body) as ErrorBody;
    assert.equal(id, headers['x-request-id']);
  }
  assert.deepEqual(core.calls, []);
});
