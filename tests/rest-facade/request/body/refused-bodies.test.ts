import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createForm } from '../../../helpers/net/form.js';
import { answerAll } from '../../answers.js';
import { detectFace, readRefusal, startBoth, startHeld, withKey } from '../../facade.js';
import { exchange, openSocket, readToEnd } from '../../raw-http.js';

const picture = createForm(Buffer.from('x'));

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
  const lengths = ['content-length: 99000000', 'transfer-encoding: chunked'];
  const answers = await Promise.all(lengths.map((length) => exchange(port, `${post}${length}\r\n\r\n`)));
  for (const { status: http, headers } of answers) assert.deepEqual([http, headers['connection']], [401, 'close']);
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
    ['{"__proto__":{"image":"data:image/png;base64,YQ=="}}', 400, 'UNKNOWN_FIELD'],
    ['{"image":7}', 400, 'INVALID_DATA_URL'],
    ['{"image":["data:image/png;base64,YQ=="]}', 400, 'INVALID_DATA_URL'],
    ['{"image":"data:text/html;base64,YQ=="}', 400, 'INVALID_DATA_URL'],
    ['{"image":"data:image/png;base64,Y"}', 400, 'INVALID_BASE64'],
    ['{"image":"data:image/png;base64,"}', 400, 'EMPTY_IMAGE'],
  ];
  for (const [body, http, reason] of table) {
    const answer = await fetch(`${url}/meter-number-ocr/base64`, { method: 'POST', headers: withKey, body });
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
  const { url, called, answer } = await startHeld(t, {
    REST_MAX_IMAGE_BYTES: '300000',
    REST_MAX_BODY_BYTES: '400000',
    REST_MAX_BUFFERED_BYTES: '500000',
  });
  const send = () => detectFace(url, Buffer.alloc(300_000));
  const first = send();
  await called;
  const second = await send();
  assert.equal(second.headers.get('retry-after'), '1');
  assert.deepEqual(await readRefusal(second).then(({ status: http, reason }) => [http, reason]), [429, 'QUEUE_FULL']);
  answer();
  assert.equal((await first).status, 200);
  for (let round = 0; round < 3; round += 1) assert.equal((await send()).status, 200);
});
