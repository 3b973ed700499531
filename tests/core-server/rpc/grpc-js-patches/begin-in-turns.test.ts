import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beginInTurns } from '../../../../core-server/rpc/grpc-js-patches/begin-in-turns.js';
import { collectGarbage } from '../../../../runtime/node-patches/v8-flags.js';
import { eventually } from '../../../helpers/eventually.js';
import { listen } from '../../../helpers/net/listen.js';

/** A server that notes the paths of its streams as they begin, and two clients of it. */
async function setUp(t: TestContext) {
  const begun: string[] = [];
  const server = createServer();
  server.on('stream', (stream, headers) => {
    begun.push(String(headers[':path']));
    stream.respond({}, { endStream: true });
  });
  beginInTurns(server);
  const port = await listen(t, server);
  const open = async () => {
    const session = connect(`http://127.0.0.1:${port}`);
    t.after(() => session.destroy());
    await once(session, 'remoteSettings');
    return session;
  };
  return { begun, server, one: await open(), other: await open() };
}

test('a call does not wait for all that came before it on another connection', async (t) => {
  const { begun, one, other } = await setUp(t);
  const count = 100;
  for (let call = 0; call < count; call += 1) one.request({ ':path': '/many' });
  other.request({ ':path': '/one' });
  await eventually(() => begun.length === count + 1);
  assert.ok(begun.indexOf('/one') < count / 2, `it was number ${begun.indexOf('/one')}`);
});

test('the headers of a call that has begun are not kept as long as it is open', async (t) => {
  const server = createServer();
  const headers = new Promise<WeakRef<object>>((resolve) => {
    server.on('stream', (stream, own) => {
      stream.respond();
      resolve(new WeakRef(own));
    });
  });
  beginInTurns(server);
  const session = connect(`http://127.0.0.1:${await listen(t, server)}`);
  t.after(() => session.destroy());
  await once(session.request(), 'response');
  const begun = await headers;
  await nextTurn();
  collectGarbage();
  assert.equal(begun.deref(), undefined);
});

test('calls whose caller has gone while they waited are not begun', async (t) => {
  const { begun, server, one } = await setUp(t);
  server.prependListener('stream', (stream, headers) => {
    if (headers[':path'] === '/gone') stream.destroy(new Error('its caller has gone'));
  });
  for (const path of ['/first', '/gone', '/last']) one.request({ ':path': path }).on('error', () => undefined);
  await eventually(() => begun.includes('/last'));
  assert.deepEqual(begun, ['/first', '/last']);
});

test('nothing is kept of a call that is refused while it waits: what it has sent does not count any more', async (t) => {
  const { begun, server, one } = await setUp(t);
  const gone: WeakRef<object>[] = [];
  const count = 50;
  const kept = new Promise<number>((resolve) => {
    server.prependListener('stream', (stream, headers) => {
      if (headers[':path'] !== '/gone') return;
      gone.push(new WeakRef(stream));
      // As it stands in line.
      process.nextTick(() => stream.destroy());
      // Most still wait for their turn.
      if (gone.length === count) setImmediate(setImmediate, countKept);
    });
    const countKept = (): void => {
      collectGarbage();
      resolve(gone.filter((stream) => stream.deref()).length);
    };
  });
  for (let call = 0; call < 2 * count; call += 1) one.request({ ':path': '/before' });
  for (let call = 0; call < count; call += 1) one.request({ ':path': '/gone' }).on('error', () => undefined);
  assert.ok((await kept) < count / 5, `${await kept} of ${count} were kept`);
  assert.ok(begun.length < 2 * count, 'they wait behind these');
});
