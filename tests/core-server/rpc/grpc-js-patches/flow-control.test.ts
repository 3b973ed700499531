import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type ServerHttp2Stream } from 'node:http2';
import { test, type TestContext } from 'node:test';
import { maxCallsOfStrangers } from '../../../../core-server/rpc/grpc-js-patches/limit-strangers.js';
import { limitUnread } from '../../../../core-server/rpc/grpc-js-patches/limit-unread.js';
import { callWindowBytes, connectionWindowBytes } from '../../../../core-server/rpc/grpc-js-patches/server-options.js';
import type { ReadMeterResponse } from '../../../../generated/imageanalysis/v1/meter_reading.js';
import { createFairBudget } from '../../../../runtime/limits/fair-budget.js';
import { createUnread } from '../../../../runtime/limits/unread.js';
import { eventually } from '../../../helpers/eventually.js';
import { openSocket } from '../../../rest-facade/raw-http.js';
import { addressOf, answer, call, maxCallsPerConnection, openAccess, serve } from '../served-calls.js';

test('a client may ping often, as those that check their connection do', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer));
  const session = connect(`http://${addressOf(client)}`);
  t.after(() => session.destroy());
  await once(session, 'connect');
  // Servers of other gRPC libraries end such a connection with ENHANCE_YOUR_CALM.
  for (let pings = 0; pings < 100; pings += 1)
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
});

test('a client may have a whole picture under way', async (t) => {
  const client = await serve(t, () => Promise.resolve(answer));
  const session = connect(`http://${addressOf(client)}`);
  t.after(() => session.destroy());
  while (session.remoteSettings.initialWindowSize !== callWindowBytes) await once(session, 'remoteSettings');
  // The window of the connection is told in the frame after the settings.
  await new Promise((resolve) => session.ping(resolve));
  assert.equal(session.state.remoteWindowSize, connectionWindowBytes);
});

/** @returns how many calls are begun of a client that opens more than it may, all of which wait for their key. */
async function countBegunCalls(t: TestContext, trustedProxies: string, most: number): Promise<number> {
  let begun = 0;
  const ended: string[] = [];
  const authenticate = () => {
    begun += 1;
    return new Promise<never>(() => undefined);
  };
  const client = await serve(t, () => Promise.reject(new Error('no message comes')), {
    access: { ...openAccess, authenticate },
    callEnded: ({ method }) => ended.push(method),
    trustedProxies,
  });
  const port = Number(addressOf(client).split(':').at(-1));
  const socket = await openSocket(port);
  t.after(() => socket.destroy());
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const literal = (name: string, value: string) => Buffer.concat([Buffer.from([0]), text(name), text(value)]);
  const headers = Buffer.concat([
    Buffer.from([0x83, 0x86]), // POST, http
    literal(':path', '/imageanalysis.v1.MeterReadingService/ReadMeter'),
    literal(':authority', 'x'),
    literal('te', 'trailers'),
    literal('apikey', 'secret'),
    literal('content-type', 'application/grpc'),
  ]);
  const frame = (type: number, flags: number, stream: number, payload: Buffer) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  };
  const openCall = (index: number) => frame(1, 4, 2 * index + 1, headers);
  const settings = frame(4, 0, 0, Buffer.alloc(0));
  const openCalls = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => openCall(from + index));
  socket.on('error', () => undefined).resume();
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, ...openCalls(0, most + 50)]));
  await eventually(() => begun === most);
  socket.write(Buffer.concat(openCalls(most + 50, most + 5_000)));
  // Node.js ends a connection with so many streams that were refused, some versions by a reset.
  await eventually(() => socket.closed);
  await eventually(() => ended.length === begun);
  return begun;
}

test('a facade has no more calls open than both queues hold and a hundred, also if it ignores that', async (t) => {
  assert.equal(await countBegunCalls(t, '127.0.0.1', maxCallsPerConnection), maxCallsPerConnection);
});

test('a stranger has no more than a few calls open, also if it ignores that', async (t) => {
  assert.equal(await countBegunCalls(t, '', maxCallsOfStrangers), maxCallsOfStrangers);
});

test('who has shown a valid key may have more calls open', async (t) => {
  const waiting: (() => void)[] = [];
  const handler = () => new Promise<ReadMeterResponse>((resolve) => waiting.push(() => resolve(answer)));
  const client = await serve(t, handler);
  const answers = Array.from({ length: 3 * maxCallsOfStrangers }, () => call(client));
  await eventually(() => waiting.length === answers.length);
  for (const answerOne of waiting) answerOne();
  await Promise.all(answers);
});

test('a response has no more time for another behind it', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const close = t.mock.fn();
  const stream = Object.assign(new EventEmitter(), { write: () => true, close }) as unknown as ServerHttp2Stream;
  limitUnread(stream, createUnread(), createFairBudget(1_000).of('a'), 1_000);
  for (let responses = 0; responses < 2; responses += 1) {
    stream.write(Buffer.alloc(1));
    t.mock.timers.tick(600);
  }
  assert.equal(close.mock.callCount(), 1);
});
