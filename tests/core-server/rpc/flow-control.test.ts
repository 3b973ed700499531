import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import { callWindowBytes, connectionWindowBytes } from '../../../core-server/rpc/grpc-js-patches/server-options.js';
import { eventually } from '../../helpers/eventually.js';
import { openStage, scriptedWorkerUrl } from '../../helpers/pictures/scripted-pictures.js';
import { startService } from '../../helpers/service/service.js';
import { openSocket } from '../../rest-facade/raw-http.js';
import { maxCallsPerConnection, serve } from './served-calls.js';

test('a client may ping often, as those that check their connection do', async (t) => {
  openStage(t);
  const service = await startService(t, {}, undefined, scriptedWorkerUrl);
  const session = connect(`http://${service.grpc}`);
  t.after(() => session.destroy());
  await once(session, 'connect');
  // Servers of other gRPC libraries end such a connection with ENHANCE_YOUR_CALM.
  for (let pings = 0; pings < 100; pings += 1)
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
});

test('a client may have a whole picture under way', async (t) => {
  openStage(t);
  const service = await startService(t, {}, undefined, scriptedWorkerUrl);
  const session = connect(`http://${service.grpc}`);
  t.after(() => session.destroy());
  while (session.remoteSettings.initialWindowSize !== callWindowBytes) await once(session, 'remoteSettings');
  // The window of the connection is told in the frame after the settings.
  await new Promise((resolve) => session.ping(resolve));
  assert.equal(session.state.remoteWindowSize, connectionWindowBytes);
});

test('a connection has no more calls open than both queues hold and a hundred, also where its client ignores that', async (t) => {
  const calls: string[] = [];
  const client = await serve(t, () => Promise.reject(new Error('no message comes')), {
    callEnded: ({ method }) => calls.push(method),
  });
  const port = Number(client.getChannel().getTarget().split(':').at(-1));
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
  const asked = Array.from({ length: 5_000 }, (_, index) => openCall(index));
  socket.on('error', () => undefined).resume();
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings, ...asked]));
  // Node.js ends a connection with so many streams that were refused.
  await once(socket, 'close');
  await eventually(() => calls.length === maxCallsPerConnection);
});
