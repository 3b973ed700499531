import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bindWithoutGetter } from '../../../runtime/node-patches/bind-without-getter.js';
import { freeClosedStreams } from '../../../runtime/node-patches/free-closed-streams.js';

test('what listened to an HTTP/2 stream is garbage that young collections free', async (t) => {
  bindWithoutGetter();
  freeClosedStreams();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;
  const server = createServer((_request, response) => response.end('answer'));
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.after(() => session.close());

  const bytes = 200_000;
  const call = async () => {
    const picture = Buffer.alloc(bytes);
    const stream = session.request().resume();
    stream.on('response', () => assert.equal(picture.length, bytes));
    await once(stream, 'close');
  };
  await call();
  collect();
  const before = process.memoryUsage().arrayBuffers;
  const calls = 20;
  for (let i = 0; i < calls; i += 1) {
    await call();
    collect({ type: 'minor' });
  }
  collect({ type: 'minor' });
  const kept = process.memoryUsage().arrayBuffers - before;
  assert.ok(kept < (calls / 4) * bytes, `${kept} bytes of ${calls} calls were kept`);
});
