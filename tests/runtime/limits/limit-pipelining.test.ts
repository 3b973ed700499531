import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { limitPipelining, maxPipelined, maxUnanswered } from '../../../runtime/limits/limit-pipelining.js';
import { deferred } from '../../helpers/deferred.js';
import { listen } from '../../helpers/net/listen.js';
import { answerAll } from '../../rest-facade/answers.js';
import { startBoth } from '../../rest-facade/facade.js';
import { openSocket } from '../../rest-facade/raw-http.js';

function setUp() {
  const passed: ServerResponse[] = [];
  const handle = limitPipelining((_request, response) => void passed.push(response));
  const socket = new Socket();
  const arrive = (count: number, on = socket) => {
    for (let n = 0; n < count; n += 1) {
      const request = new IncomingMessage(on);
      handle(request, new ServerResponse(request));
    }
  };
  return { socket, passed, arrive };
}

test('a connection may have as many requests without an answer as the limit, and ends with one more', () => {
  const { socket, passed, arrive } = setUp();
  arrive(maxUnanswered);
  assert.equal(passed.length, maxUnanswered);
  assert.equal(socket.destroyed, false);
  arrive(2);
  assert.equal(passed.length, maxUnanswered);
  assert.equal(socket.destroyed, true);
});

const from = (remoteAddress: string) => Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

/** As many connections of one address as have all places. */
const manyOfOne = () => Array.from({ length: maxPipelined / maxUnanswered }, () => from('192.0.2.1'));

test('requests that are answered make room for others, of their connection and of others', () => {
  const { passed, arrive } = setUp();
  const sockets = manyOfOne();
  for (const socket of [...sockets, ...sockets]) {
    arrive(maxUnanswered, socket);
    for (const response of passed.splice(0)) response.emit('close');
  }
  assert.ok(sockets.every(({ destroyed }) => !destroyed));
});

test('connections of one address have only so many such requests together, and leave some to others', async () => {
  const { passed, arrive } = setUp();
  for (let idle = 0; idle < maxPipelined / 4; idle += 1) arrive(1, from('192.0.2.1'));
  for (const response of passed.splice(0)) response.emit('close');
  const sockets = manyOfOne();
  for (const socket of sockets) arrive(maxUnanswered, socket);
  const most = (maxPipelined * 4) / 5 + sockets.length;
  assert.ok(passed.length <= most && passed.length > most - maxUnanswered, `${passed.length} were begun`);
  const open = sockets.filter(({ destroyed }) => !destroyed);
  assert.ok(open.length < sockets.length);
  // The first of each connection takes no place.
  const alone = from('192.0.2.1');
  arrive(1, alone);
  const other = from('192.0.2.2');
  arrive(maxUnanswered, other);
  assert.deepEqual([alone.destroyed, other.destroyed], [false, false]);
  for (const socket of open) socket.destroy();
  await Promise.all(open.map((socket) => once(socket, 'close')));
  const later = from('192.0.2.1');
  arrive(maxUnanswered, later);
  assert.equal(later.destroyed, false);
});

test('what a connection sent beyond the limit is not even parsed', async (t) => {
  let parsed = 0;
  const handle = limitPipelining(() => undefined);
  const server = createServer((request, response) => {
    parsed += 1;
    handle(request, response);
  });
  const socket = await openSocket(await listen(t, server));
  socket.on('error', () => {}); // the reset
  socket.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000));
  await once(socket, 'close');
  assert.equal(parsed, maxUnanswered + 1);
});

test('who pipelines up to the limit, again and again, is answered', async (t) => {
  const { port } = await startBoth(t, answerAll);
  const socket = await openSocket(port);
  t.after(() => socket.destroy());
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  for (let round = 1; round <= 3; round += 1) {
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(maxUnanswered));
    while (text.split('HTTP/1.1 200').length <= round * maxUnanswered) await once(socket, 'data');
  }
});

test('requests whose answers wait for others are closed with their connection', { timeout: 20_000 }, async (t) => {
  const { promise: bothCame, resolve } = deferred();
  const { port, core, logged } = await startBoth(t, () => {
    if (core.calls.length === 2) resolve();
    return new Promise<object>(() => {});
  });
  const socket = await openSocket(port);
  const ask = 'GET /face_config_score?detection HTTP/1.1\r\nhost: x\r\napikey: k\r\n\r\n';
  socket.write(ask.repeat(2));
  await bothCame;
  socket.destroy();
  await Promise.all(core.calls.map(({ cancelled }) => cancelled));
  assert.equal(logged().match(/"status":499,"reason":"CLIENT_CLOSED"/g)?.length, 2);
});
