import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createForm } from '../../../helpers/net/form.js';
import { answerAll } from '../../answers.js';
import { readRefusal, startBoth, withKey } from '../../facade.js';
import { exchange, openSocket, readToEnd } from '../../raw-http.js';

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
  const head = (path: string, key: string, length: number, version = '1.1') =>
    `POST ${path} HTTP/${version}\r\nhost: x\r\n${key}expect: 100-Continue\r\ncontent-length: ${length}\r\n\r\n`;
  const refused: [string, string, number, number][] = [
    ['/nothing', 'apikey: k\r\n', 100, 404],
    ['/meter-number-ocr/base64', '', 100, 401],
    ['/meter-number-ocr/base64', 'apikey: k\r\n', 20_000_000, 413],
    ['/face_detect_single', 'apikey: k\r\n', 100, 415],
  ];
  for (const [path, key, length, http] of refused) {
    assert.equal((await exchange(port, head(path, key, length))).status, http, path);
  }

  const body = JSON.stringify({ image: 'data:image/png;base64,YWJj' });
  const socket = await openSocket(port);
  const answer = readToEnd(socket);
  socket.once('data', (chunk: Buffer) => {
    assert.equal(chunk.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(body);
  });
  socket.write(head('/meter-number-ocr/base64', 'apikey: k\r\nconnection: close\r\n', body.length));
  assert.match((await answer).text, /\r\n\r\nHTTP\/1.1 200 OK/);
  // HTTP/1.0 knows nothing of it.
  const old = head('/meter-number-ocr/base64', 'apikey: k\r\n', body.length, '1.0');
  assert.equal((await exchange(port, old + body)).status, 200);
});

test('a connection outlives a body that was asked for and is refused in the middle, too', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const socket = await openSocket(port);
  const answers = readToEnd(socket);
  const form = 'apikey: k\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 1000\r\n';
  socket.write(`POST /face_detect_single HTTP/1.1\r\nhost: x\r\n${form}expect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  const wrong = '--b\r\nno header\r\n\r\n';
  socket.write(wrong);
  await once(socket, 'data');
  const next = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  socket.write('x'.repeat(1_000 - wrong.length) + next);
  const { text } = await answers;
  assert.deepEqual(text.match(/(?<=HTTP\/1\.1 )\d+/g), ['100', '400', '200']);
});

test('a form where JSON is wanted, and members that are none of the object', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  for (const [body, reason] of [
    [createForm(Buffer.from('x')), 'MALFORMED_JSON'],
    ['{"__proto__":{"image":"data:image/png;base64,YQ=="}}', 'UNKNOWN_FIELD'],
  ] as const) {
    const refused = await readRefusal(
      await fetch(`${url}/meter-number-ocr/base64`, { method: 'POST', headers: withKey, body }),
    );
    assert.deepEqual([refused.status, refused.reason], [400, reason]);
  }
  assert.deepEqual(core.calls, []);
});
