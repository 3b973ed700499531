import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { answerAll } from './answers.js';
import { CoreRefusal, type Script } from './fake-core.js';
import { createForm } from '../helpers/form.js';
import { readRefusal, startBoth, withKey, type ErrorBody } from './facade.js';
import { exchange, openSocket, readToEnd } from './raw-http.js';

const picture = createForm(Buffer.from('x'));

test('the error body, its headers, and nothing else', async (t) => {
  const { url } = await startBoth(t, answerAll);
  const answer = await fetch(`${url}/nothing`, { headers: { 'x-request-id': 'my-id_1' } });
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), {
    message: 'path is "/nothing", want one of those in /openapi.json',
    code: 'NOT_FOUND',
    reason: 'NO_SUCH_ROUTE',
    request_id: 'my-id_1',
    details: { field: 'path', value: '/nothing' },
  });
  assert.deepEqual(
    ['x-request-id', 'cache-control', 'x-content-type-options', 'content-type'].map((name) =>
      answer.headers.get(name),
    ),
    ['my-id_1', 'no-store', 'nosniff', 'application/json; charset=utf-8'],
  );
  assert.equal(answer.headers.get('x-powered-by'), null);
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
    if (method !== 'HEAD')
      assert.equal(((await answer.json()) as ErrorBody).reason, 'METHOD_NOT_ALLOWED');
  }
  const options = await fetch(`${url}/face_config_score`, { method: 'OPTIONS' });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get('allow'), 'GET, OPTIONS');
  assert.equal((await fetch(`${url}/nothing`, { method: 'OPTIONS' })).status, 404);
  assert.deepEqual(core.calls, []);
});

test('API keys that the facade refuses itself', async (t) => {
  const { port, core } = await startBoth(t, answerAll);
  const table: [string, string][] = [
    ['', 'MISSING_API_KEY'],
    ['apikey:\r\n', 'MISSING_API_KEY'],
    ['apikey: a\r\napikey: b\r\n', 'INVALID_API_KEY'],
    ['apikey: \u00e9\r\n', 'INVALID_API_KEY'],
    ['apikey: a b\r\n', 'INVALID_API_KEY'],
    [`apikey: ${'a'.repeat(257)}\r\n`, 'INVALID_API_KEY'],
  ];
  for (const [header, reason] of table) {
    const request = `GET /face_config_score?detection HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n`;
    const { status: http, body } = await exchange(port, request);
    assert.deepEqual([http, (JSON.parse(body) as ErrorBody).reason], [401, reason], header);
  }
  assert.deepEqual(core.calls, []);
});

test('a request without a key is refused before its body is read', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const socket = await openSocket(port);
  const answer = readToEnd(socket);
  socket.write(
    'POST /face_detect_single HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n' +
      'content-type: multipart/form-data; boundary=b\r\n\r\n--b',
  );
  // The rest never comes.
  assert.equal((await answer).status, 401);
});

test('a connection outlives a refused body that comes to its end, and no other', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const post = 'POST /face_detect_single HTTP/1.1\r\nhost: x\r\n';
  const next = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  const kept = await exchange(port, `${post}content-length: 3\r\n\r\nabc${next}`);
  assert.deepEqual(kept.text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 200']);
  for (const length of ['content-length: 99000000', 'transfer-encoding: chunked']) {
    const { status: http, headers } = await exchange(port, `${post}${length}\r\n\r\n`);
    assert.deepEqual([http, headers['connection']], [401, 'close'], length);
  }
});

test('a refused upload that goes on still gets its answer', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const headers of [{}, withKey]) {
    const body = createForm(Buffer.alloc(24 * 1024 * 1024));
    const answer = await fetch(`${url}/face_detect_single`, { method: 'POST', headers, body });
    const { reason } = await readRefusal(answer);
    assert.equal(reason, 'apikey' in headers ? 'BODY_TOO_LARGE' : 'MISSING_API_KEY');
  }
});

test('Expect: 100-continue is answered after the checks', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const head = (path: string, key: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${key}expect: 100-continue\r\ncontent-length: ${length}\r\n\r\n`;
  const refused: [string, string, number, number][] = [
    ['/nothing', 'apikey: k\r\n', 100, 404],
    ['/meter-number-ocr/base64', '', 100, 401],
    ['/meter-number-ocr/base64', 'apikey: k\r\n', 20_000_000, 413],
    ['/face_detect_single', 'apikey: k\r\n', 100, 415],
  ];
  for (const [path, key, length, http] of refused) {
    const { text } = await exchange(port, head(path, key, length));
    assert.match(text, new RegExp(`^HTTP/1.1 ${http} `), path);
  }

  const body = JSON.stringify({ image: 'data:image/png;base64,YWJj' });
  const socket = await openSocket(port);
  const answer = readToEnd(socket);
  socket.once('data', (chunk: Buffer) => {
    assert.equal(chunk.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
  });
  socket.write(head('/meter-number-ocr/base64', 'apikey: k\r\n', body.length));
  assert.match((await answer).text, /\r\n\r\nHTTP\/1.1 200 OK/);
});

test('JSON bodies that are refused', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const table: [string | Buffer | FormData, number, string][] = [
    ['', 400, 'MALFORMED_JSON'],
    ['{', 400, 'MALFORMED_JSON'],
    ['[]', 400, 'MALFORMED_JSON'],
    ['"data:image/png;base64,YQ=="', 400, 'MALFORMED_JSON'],
    ['null', 400, 'MALFORMED_JSON'],
    ['image=data:image/png;base64,YQ==', 400, 'MALFORMED_JSON'],
    [Buffer.from('{"image":"\xff"}', 'latin1'), 400, 'MALFORMED_JSON'],
    [picture, 400, 'MALFORMED_JSON'],
    ['{}', 400, 'MISSING_FIELD'],
    ['{"image":null}', 400, 'MISSING_FIELD'],
    ['{"image":""}', 400, 'MISSING_FIELD'],
    ['{"__proto__":{"image":"data:image/png;base64,YQ=="}}', 400, 'MISSING_FIELD'],
    ['{"image":7}', 400, 'INVALID_DATA_URL'],
    ['{"image":["data:image/png;base64,YQ=="]}', 400, 'INVALID_DATA_URL'],
    ['{"image":"data:text/html;base64,YQ=="}', 400, 'INVALID_DATA_URL'],
    ['{"image":"data:image/png;base64,Y"}', 400, 'INVALID_BASE64'],
    ['{"image":"data:image/png;base64,"}', 400, 'EMPTY_IMAGE'],
  ];
  for (const [body, http, reason] of table) {
    const answer = await fetch(`${url}/meter-number-ocr/base64`, {
      method: 'POST',
      headers: withKey,
      body,
    });
    const got = await readRefusal(answer);
    assert.deepEqual(
      [got.status, got.reason],
      [http, reason],
      `${reason}: ${typeof body === 'string' ? body : body.constructor.name}`,
    );
  }
  assert.deepEqual(core.calls, []);
});

test('a compressed body is refused, identity is not', async (t) => {
  const { url } = await startBoth(t, answerAll);
  const send = async (encoding: string) => {
    const headers = { ...withKey, 'content-encoding': encoding };
    const body = '{"image":"data:image/png;base64,YQ=="}';
    return fetch(`${url}/meter-number-ocr/base64`, { method: 'POST', headers, body });
  };
  const refused = await readRefusal(await send('gzip'));
  assert.deepEqual([refused.status, refused.reason], [415, 'UNSUPPORTED_CONTENT_TYPE']);
  assert.equal((await send('identity')).status, 200);
});

test('body limits, at them and one above, with and without a length', async (t) => {
  const { url } = await startBoth(t, answerAll, { REST_MAX_BODY_BYTES: '200000' });
  const send = async (path: string, method: string, bytes: number, chunked: boolean) => {
    const text = `{"image":"data:image/png;base64,YQ==","detection_score":0.5,"x":"`;
    const body = `${text}${'y'.repeat(bytes - text.length - 2)}"}`;
    assert.equal(Buffer.byteLength(body), bytes);
    const init: RequestInit & { duplex?: 'half' } = { method, headers: withKey, body };
    if (chunked) Object.assign(init, { body: new Blob([body]).stream(), duplex: 'half' });
    const answer = await fetch(`${url}${path}`, init);
    return answer.status === 200 ? 200 : readRefusal(answer);
  };
  for (const chunked of [false, true]) {
    for (const [path, method, limit] of [
      ['/meter-number-ocr/base64', 'POST', 200_000],
      // A body without a picture has a limit of its own.
      ['/v1/companies/a/detection-score', 'PUT', 65_536],
    ] as const) {
      assert.equal(await send(path, method, limit, chunked), 200, path);
      assert.deepEqual(await send(path, method, limit + 1, chunked), {
        status: 413,
        reason: 'BODY_TOO_LARGE',
        details: { field: 'body', limit: String(limit) },
      });
    }
  }
});

test('a body over the limit with a file below it is refused', async (t) => {
  const env = { REST_MAX_BODY_BYTES: '100000', REST_MAX_IMAGE_BYTES: '50000' };
  const { url } = await startBoth(t, answerAll, env);
  const form = createForm(Buffer.from('x'), { a: 'y'.repeat(60_000), b: 'y'.repeat(60_000) });
  const stream = new Response(form);
  const answer = await fetch(`${url}/face_detect_single`, {
    method: 'POST',
    headers: { ...withKey, 'content-type': stream.headers.get('content-type') ?? '' },
    body: stream.body,
    duplex: 'half',
  });
  assert.deepEqual(await readRefusal(answer), {
    status: 413,
    reason: 'BODY_TOO_LARGE',
    details: { field: 'body', limit: '100000' },
  });
});

test('JSON of millions of values is refused before it is parsed', async (t) => {
  const { url } = await startBoth(t, answerAll);
  const count = 2_000_000;
  // Parsed, each would take seconds and a gigabyte.
  for (const value of [
    '['.repeat(count) + ']'.repeat(count),
    `[${'{},'.repeat(count)}{}]`,
    `{${Array.from({ length: count / 4 }, (_, index) => `"${index}":1`).join(',')}}`,
  ]) {
    const answer = await fetch(`${url}/meter-number-ocr/base64`, {
      method: 'POST',
      headers: withKey,
      body: `{"image":${value}}`,
    });
    assert.equal((await readRefusal(answer)).reason, 'MALFORMED_JSON');
  }
});

test('uploads beyond the budget of all requests are refused, and it is given back', async (t) => {
  let release = () => {};
  const blocked = new Promise<void>((resolve) => (release = resolve));
  const script: Script = async (call) => {
    await blocked;
    return answerAll(call);
  };
  const { url, core } = await startBoth(t, script, {
    REST_MAX_IMAGE_BYTES: '300000',
    REST_MAX_BODY_BYTES: '400000',
    REST_MAX_BUFFERED_BYTES: '500000',
  });
  const send = () =>
    fetch(`${url}/face_detect_single`, {
      method: 'POST',
      headers: withKey,
      body: createForm(Buffer.alloc(300_000)),
    });
  const first = send();
  while (core.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await send();
  assert.equal(second.headers.get('retry-after'), '1');
  assert.deepEqual(await readRefusal(second).then(({ status: http, reason }) => [http, reason]), [
    429,
    'QUEUE_FULL',
  ]);
  release();
  assert.equal((await first).status, 200);
  for (let round = 0; round < 3; round += 1) assert.equal((await send()).status, 200);
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
    const answer = await fetch(`${url}/face_detect_single`, {
      method: 'POST',
      headers: withKey,
      body: createForm(Buffer.from('x')),
    });
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

test('what is no HTTP request is answered in JSON and closed', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const table: [string, number][] = [
    ['nonsense\r\n\r\n', 400],
    ['GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400],
    [
      'POST /face_detect_single HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
    ],
    [`GET /?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 400],
  ];
  for (const [request, http] of table) {
    const answer = await exchange(port, request);
    assert.equal(answer.status, http);
    assert.deepEqual(Object.keys(JSON.parse(answer.body) as object), [
      'message',
      'code',
      'reason',
      'request_id',
      'details',
    ]);
  }
});

test('a request that is refused before its end gets one answer, whatever follows', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const request = 'POST /nowhere HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n';
  const { text } = await exchange(port, `${request}no chunk size\r\n\r\n`, { end: true });
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});

test('bytes after a request do not overtake its answer', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const request =
    'GET /face_config_score?detection&company=acme&password=x HTTP/1.1\r\nhost: x\r\napikey: key\r\n\r\n';
  const { status, text } = await exchange(port, `${request}nonsense\r\n\r\n`);
  assert.equal(status, 200, text);
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text);
});

test('an expectation that is not known is no reason to refuse', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const request = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\nexpect: tea\r\n\r\n';
  assert.equal((await exchange(port, request)).status, 200);
});

test('every refusal is JSON and has a request id, whatever the request line and headers are', async (t) => {
  const { port, core } = await startBoth(t, answerAll);
  const get = (target: string, headers = 'host: x\r\n') =>
    `GET ${target} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`;
  const post = (headers: string, body: string) =>
    `POST /meter-number-ocr/base64 HTTP/1.1\r\nhost: x\r\napikey: k\r\nconnection: close\r\n${headers}\r\n${body}`;
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
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    [get('/livez', `host: x\r\nx: ${'a'.repeat(17_000)}\r\n`), 400],
    [get('/livez', 'host: x\r\nx: a\0b\r\n'), 400],
    // RFC 9112, 6.1: a length beside chunks is how requests are smuggled.
    [post('transfer-encoding: chunked\r\ncontent-length: 5\r\n', '0\r\n\r\n'), 400],
    [post('transfer-encoding: xchunked\r\n', '0\r\n\r\n'), 400],
    [post('transfer-encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'), 415],
    [post('content-encoding: gzip\r\ncontent-length: 2\r\n', '{}'), 415],
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

test('a message that the core finds too large is 413', async (t) => {
  const { url } = await startBoth(t, () => {
    const text = 'Received message larger than max (10 vs. 5)';
    throw new CoreRefusal(status.RESOURCE_EXHAUSTED, undefined, text);
  });
  const body = createForm(Buffer.from('x'));
  const answer = await fetch(`${url}/face_detect_single`, {
    method: 'POST',
    headers: withKey,
    body,
  });
  const { status: http, reason } = await readRefusal(answer);
  assert.deepEqual([http, reason], [413, 'BODY_TOO_LARGE']);
});
