import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer } from 'node:https';
import { connect, createServer, type Server, Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { limitConnections, openConnections } from '../../../runtime/limits/limit-connections.js';
import { collectLog } from '../../helpers/collect-log.js';
import { createAuthority } from '../../helpers/net/certificates.js';
import { listen } from '../../helpers/net/listen.js';

/** Of ten, one address gets eight. */
const max = 10;

/** A server that is limited, with 127.0.0.9 exempt, and the connections that others open to it. */
async function setUp(t: TestContext, server: Server = createServer(), limits: { maxHandshakes?: number } = {}) {
  const { log, entries } = collectLog();
  const isExempt = (address: string) => address === '127.0.0.9';
  limitConnections(server, { max, ...limits, isExempt, log });
  const port = await listen(t, server);
  const open = async (localAddress: string) => {
    const accepted = once(server, 'connection');
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {}); // the reset
    t.after(() => socket.destroy());
    const [seen] = (await accepted) as [Socket];
    return { socket, seen };
  };
  /** Opens one after the other and tells which may stay. */
  const stay = async (...addresses: string[]) => {
    const stays: boolean[] = [];
    for (const address of addresses) stays.push(!(await open(address)).seen.destroyed);
    return stays;
  };
  return { server, entries, open, stay };
}

const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

test('one address has four fifths of the connections, and others get in', async (t) => {
  const { stay } = await setUp(t);
  assert.deepEqual(await stay(...times(8, '127.0.0.1')), times(8, true));
  assert.deepEqual(await stay('127.0.0.1'), [false]);
  assert.deepEqual(await stay('127.0.0.2', '127.0.0.3'), [true, false]);
});

test('a connection that ends makes room for another', async (t) => {
  const { open, stay } = await setUp(t);
  const first = await open('127.0.0.1');
  assert.deepEqual(await stay(...times(8, '127.0.0.1')), [...times(7, true), false]);
  const closed = once(first.seen, 'close');
  first.socket.destroy();
  await closed;
  assert.deepEqual(await stay('127.0.0.1', '127.0.0.1'), [true, false]);
});

test('those of a proxy with many clients are not counted', async (t) => {
  const { stay } = await setUp(t);
  assert.deepEqual(await stay(...times(20, '127.0.0.9')), times(20, true));
  assert.deepEqual(await stay(...times(8, '127.0.0.1')), times(8, true));
});

test('the addresses of one IPv6 network count as one', async (t) => {
  const { server } = await setUp(t);
  const stays = times(9, '2001:db8::').map((network, host) => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: `${network}${host}` });
    server.emit('connection', socket);
    return !socket.destroyed;
  });
  assert.deepEqual(stays, [...times(8, true), false]);
});

test('connections get a quarter of the file descriptors if nothing else is set', () => {
  const { href } = new URL('../../../runtime/limits/limit-connections.js', import.meta.url);
  const countThoseThatStay = `
    import { createServer, Socket } from 'node:net';
    import { limitConnections } from '${href}';
    const server = createServer();
    limitConnections(server, { isExempt: () => false, log: { warn() {} } });
    for (let count = 0; ; count += 1) {
      const socket = new Socket();
      server.emit('connection', socket);
      if (!socket.destroyed) continue;
      console.log(count);
      break;
    }`;
  const run = 'ulimit -n 400; exec "$0" --input-type=module --eval "$1"';
  const count = execFileSync('sh', ['-c', run, process.execPath, countThoseThatStay]);
  assert.equal(Number(count), 80); // four fifths, of one address
});

test('the log has it at once, and then once a minute with how many they were', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { entries, stay } = await setUp(t);
  await stay(...times(8, '127.0.0.1'));
  assert.deepEqual(entries, []);
  await stay(...times(3, '127.0.0.1'));
  now = 59_999;
  await stay('127.0.0.1');
  now = 60_000;
  await stay('127.0.0.1', '127.0.0.1');
  assert.deepEqual(
    entries.map(({ level, refused, open, client }) => [level, refused, open, client]),
    [
      [40, 1, 8, '127.0.0.1'],
      [40, 4, 8, '127.0.0.1'],
    ],
  );
});

test('unfinished TLS handshakes have a lower limit, and finished ones do not count', async (t) => {
  const authority = await createAuthority(t);
  const secure = createSecureServer(await authority.issue('server'));
  const { server, open, stay } = await setUp(t, secure, { maxHandshakes: 6 });
  const { mock: set } = t.mock.method(Map.prototype, 'set');
  const silent = await open('127.0.0.1');
  const end = `127.0.0.1 ${silent.seen.remotePort}`;
  const unfinished = set.calls.find(({ arguments: [key] }) => key === end)?.this as Map<unknown, unknown>;
  for (let finished = 0; finished < 3; finished++) {
    const { socket, seen } = await open('127.0.0.1');
    connectTls({ socket, ca: authority.cert, servername: 'localhost' }).on('error', () => {});
    await once(server, 'secureConnection');
    if (finished > 0) continue;
    socket.destroy();
    await once(seen, 'close');
  }
  assert.deepEqual(await stay(...times(4, '127.0.0.1')), [true, true, true, false]);
  assert.deepEqual(await stay('127.0.0.9', '127.0.0.2', '127.0.0.3'), [true, true, false]);
  silent.socket.destroy();
  await once(silent.seen, 'close');
  assert.equal(unfinished.has(end), false);
  assert.deepEqual(await stay('127.0.0.1', '127.0.0.1'), [true, false]);
});

for (const [what, create] of [
  ['HTTP', () => createHttpServer()],
  ['HTTP/2', () => createHttp2Server()],
  ['TLS', async (t) => createSecureServer(await (await createAuthority(t)).issue('server'))],
] as [string, (t: TestContext) => Server | Promise<Server>][])
  test(`a refused connection is gone from a server of ${what}`, async (t) => {
    const { server, open, stay } = await setUp(t, await create(t));
    const known = openConnections(server);
    assert.deepEqual(await stay(...times(8, '127.0.0.1')), times(8, true));
    const { socket } = await open('127.0.0.1');
    await once(socket, 'close');
    const count = await new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
    assert.deepEqual([count, known.size], [8, 8]);
  });
