import assert from 'node:assert/strict';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import express from 'express';
import { beginInTurns } from '../../../../rest-facade/server/http/begin-in-turns.js';
import { startHttpServer } from '../../../../rest-facade/server/http/http-server.js';
import { noteArrival } from '../../../../rest-facade/server/request-context.js';
import { deferred } from '../../../helpers/deferred.js';
import { listen } from '../../../helpers/net/listen.js';
import { exchange, openSocket } from '../../raw-http.js';

function setUp() {
  const begun: string[] = [];
  const arrived: unknown[] = [];
  const handle = beginInTurns((request) => {
    begun.push(request.url ?? '');
    arrived.push(noteArrival(request).at);
  });
  const arrive = (name: string, socket = new Socket()) => {
    const request = Object.assign(new IncomingMessage(socket), { url: name });
    handle(request, new ServerResponse(request));
    return socket;
  };
  return { begun, arrived, arrive };
}

test('one request is begun a turn, first come first served', async () => {
  const { begun, arrive } = setUp();
  for (const name of ['a', 'b', 'c']) arrive(name);
  assert.deepEqual(begun, ['a']);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b']);
  arrive('d');
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await nextTurn();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
});

test('a request that comes alone is begun at once', async () => {
  const { begun, arrive } = setUp();
  arrive('a');
  await nextTurn();
  arrive('b');
  assert.deepEqual(begun, ['a', 'b']);
});

test('each request is begun with the time of its arrival, not of its turn', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { arrived, arrive } = setUp();
  for (; now < 3; now += 1) arrive('a');
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  assert.deepEqual(arrived, [0, 1, 2]);
});

test('connections take turns, whatever each has sent', async () => {
  const { begun, arrive } = setUp();
  const socket = arrive('a1');
  for (const name of ['a2', 'a3', 'a4']) arrive(name, socket);
  arrive('b');
  arrive('c');
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  assert.deepEqual(begun, ['a1', 'a2', 'b', 'c', 'a3', 'a4']);
});

test('addresses take turns, however many connections each has', async () => {
  const { begun, arrive } = setUp();
  const from = (remoteAddress: string) =>
    Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  for (const name of ['a1', 'a2', 'a3', 'a4']) arrive(name, from('192.0.2.1'));
  // One network is one caller.
  for (const name of ['b1', 'b2']) arrive(name, from(`2001:db8::${name}`));
  arrive('c', from('192.0.2.3'));
  for (let turn = 0; turn < 6; turn += 1) await nextTurn();
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c', 'a3', 'b2', 'a4']);
});

test('requests whose caller has gone while they waited are not begun', async () => {
  const { begun, arrive } = setUp();
  arrive('a');
  const gone = arrive('b1');
  arrive('b2', gone);
  arrive('c');
  gone.destroy();
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  assert.deepEqual(begun, ['a', 'c']);
});

test('a connection is read only as fast as its requests begin', { timeout: 20_000 }, async (t) => {
  let arrived = 0;
  let begun = 0;
  let most = 0;
  const allBegun = deferred();
  const handle = beginInTurns((_request, response) => {
    begun += 1;
    response.end();
    if (begun === 300) allBegun.resolve();
  });
  const server = createServer({ maxHeaderSize: 20_000 }, (request, response) => {
    arrived += 1;
    most = Math.max(most, arrived - begun);
    handle(request, response);
  });
  const socket = await openSocket(await listen(t, server));
  t.after(() => socket.destroy());
  socket.resume().write(`GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(15_000)}\r\n\r\n`.repeat(300));
  await allBegun.promise;
  // What fits in one of Node.js's reads, and the first of the next one.
  assert.ok(most <= 10, `${most} were waiting`);
});

test('a server begins no two requests in one turn, though they arrive together', async (t) => {
  const begun: string[] = [];
  const app = express().use(({ url }, response) => {
    begun.push(url);
    queueMicrotask(() => begun.push('over'));
    response.end();
  });
  const server = await startHttpServer(app, { host: '127.0.0.1', port: 0 });
  t.after(() => server.close(0));
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n`;
  await exchange(server.port, `${get('/a')}\r\n${get('/b')}connection: close\r\n\r\n`);
  assert.deepEqual(begun, ['/a', 'over', '/b', 'over']);
});
