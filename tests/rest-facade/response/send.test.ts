import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { send } from '../../../rest-facade/response/send.js';
import { collectGarbage } from '../../../runtime/node-patches/v8-flags.js';
import { createAuthority } from '../../helpers/net/certificates.js';
import { listen } from '../../helpers/net/listen.js';

/** A slice of a body, and the headers. */
const maxUnsent = 65 * 1024;

/** Sends the same body to every request, over TLS. */
async function serve(t: TestContext, body: string | Buffer) {
  const authority = await createAuthority(t);
  let connection: Socket | undefined;
  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    connection = asked.socket;
    send(response, { status: 200, headers: {}, body });
  };
  const server = createServer(await authority.issue('server'), answer);
  const port = await listen(t, server);
  return {
    /** Resolves to the response, of which nothing is read yet. */
    ask: async (method = 'GET', upload = '') => {
      const target = { host: '127.0.0.1', port, ca: authority.cert, agent: false as const };
      const sent = request({ ...target, method });
      sent.end(upload);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    },
    /** What the server has written and the connection has not taken yet. */
    unsentBytes: () => connection?.writableLength ?? 0,
  };
}

test('the connection has one slice of a body at a time, however slowly it is read', async (t) => {
  const body = randomBytes(16 * 2 ** 20 + 1);
  const { ask, unsentBytes } = await serve(t, body);
  for (const [method, upload] of [
    ['GET', ''],
    ['POST', 'unread'],
  ]) {
    const response = await ask(method, upload);
    assert.equal(response.headers['content-length'], String(body.length));
    let most = unsentBytes();
    response.on('data', () => (most = Math.max(most, unsentBytes())));
    assert.ok((await buffer(response)).equals(body));
    assert.ok(most > 0 && most <= maxUnsent, `${most} bytes at once`);
  }
});

test('a text that nobody reads is held once, without TLS too', async (t) => {
  const heldBytes = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const bytes = 32 * 2 ** 20;
  const server = createPlainServer((_request, response) => {
    send(response, { status: 200, headers: {}, body: 'a'.repeat(bytes) });
    server.emit('answered');
  });
  const port = await listen(t, server);
  const before = heldBytes();
  const client = connect(port, '127.0.0.1').pause();
  t.after(() => client.destroy());
  client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  await once(server, 'answered');
  await setImmediate();
  const held = heldBytes() - before;
  assert.ok(held < 1.5 * bytes, `${held} bytes for a response of ${bytes}`);
});

test('a text is sent whole, whatever the bytes of its characters', async (t) => {
  const body = `a${'é€😀'.repeat(50_000)}`;
  const { ask } = await serve(t, body);
  assert.equal((await buffer(await ask())).toString(), body);
});

test('the response to HEAD has the length of the body, and no body', async (t) => {
  const { ask } = await serve(t, Buffer.alloc(200_000));
  const response = await ask('HEAD');
  assert.equal(response.headers['content-length'], '200000');
  assert.equal((await buffer(response)).length, 0);
});

for (const [what, isEnded, rest] of [
  ['its caller ends in the middle', true, 'content-length: 100\r\n\r\nhalf'],
  ['waits to be asked for', false, 'expect: 100-continue\r\ncontent-length: 100\r\n\r\n'],
] as const)
  test(`of a body that ${what} nothing more is awaited`, { timeout: 30_000 }, async (t) => {
    // The time that is left for the rest of a body never passes.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const answer: RequestListener = (_request, response) => send(response, { status: 400, headers: {}, body: '{}' });
    const server = createPlainServer(answer).on('checkContinue', answer);
    server.on('clientError', () => undefined);
    const client = connect(await listen(t, server), '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n${rest}`);
    if (isEnded) client.end();
    assert.match((await buffer(client)).toString(), /^HTTP\/1\.1 400 /);
  });

test('who sends more than is dropped has time to see the response', { timeout: 30_000 }, async (t) => {
  // The time that is left for the rest of a body never passes.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const mebi = 2 ** 20;
  let connection: Socket | undefined;
  const server = createPlainServer((asked, response) => {
    connection = asked.socket;
    send(response, { status: 400, headers: {}, body: '{}' });
  });
  const client = connect(await listen(t, server), '127.0.0.1');
  t.after(() => client.destroy());
  client.on('error', () => undefined);
  client.write(`POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${100 * mebi}\r\n\r\n`);
  client.write(Buffer.alloc(50 * mebi));
  const readBytes = () => connection?.bytesRead ?? 0;
  while (readBytes() <= 32 * mebi) await setImmediate();
  for (let turn = 0; turn < 1_000; turn += 1) await setImmediate();
  assert.equal(connection?.destroyed, false);
  assert.ok(readBytes() < 34 * mebi, `${readBytes()} bytes`);
});
