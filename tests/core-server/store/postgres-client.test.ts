import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, it, test, type TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import { createDatabase } from '../../../core-server/store/database.js';
import { createAuthority, type Identity } from '../../helpers/net/certificates.js';
import { listen } from '../../helpers/net/listen.js';

/** Of the protocol of PostgreSQL: AuthenticationOk and ReadyForQuery. */
const welcome = [...[0x52, 0, 0, 0, 8, 0, 0, 0, 0], ...[0x5a, 0, 0, 0, 5, 0x49]];
/** AuthenticationSASL with a mechanism that nobody knows. */
const challenge = [0x52, 0, 0, 0, 11, 0, 0, 0, 10, 0x3f, 0, 0];

for (const [what, answer, message] of [
  // As of a pooler whose server is gone.
  [
    'whose first statement has no answer',
    welcome,
    /^Error: cannot open the configuration store .*: no connection was free in time$/,
  ],
  ['that nobody answers', [], /^Error: cannot open the configuration store .*: timeout expired$/],
  ['that pg itself gives up', challenge, /^Error: cannot open the configuration store .*: SASL: Only mechanism/],
] as const)
  test(`a connection ${what} is closed`, { timeout: 30_000 }, async (t) => {
    const ends: Promise<unknown>[] = [];
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      ends.push(once(socket, 'close'));
      socket.once('data', () => socket.write(Buffer.from(answer)));
    });
    const url = `postgres://user@127.0.0.1:${await listen(t, server)}/database`;
    await assert.rejects(createDatabase({ url, dataDir: '', statementTimeoutMs: 300 }), message);
    assert.ok(ends.length > 0);
    await Promise.all(ends);
  });

describe('TLS to PostgreSQL', () => {
  /** Answers the request for TLS, or refuses it, and ends the connection once something was sent over it. */
  async function startServer(t: TestContext, identity: Identity | undefined) {
    let count = 0;
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(identity ? 'S' : 'N');
        if (identity === undefined) return;
        const secured = new TLSSocket(socket, { ...identity, isServer: true });
        secured.on('error', () => {});
        secured.once('data', () => {
          count += 1;
          secured.destroy();
        });
      });
    });
    const port = await listen(t, server, '0.0.0.0');
    return {
      open: (parameters: string, host = '127.0.0.1') =>
        createDatabase({ url: `postgres://u@${host}:${port}/d?${parameters}`, dataDir: '' }),
      /** How many have trusted the server with a name. */
      countTrusting: () => count,
    };
  }

  it('is had with a server of a known authority and name, and no other', async (t) => {
    const warned = t.mock.method(process, 'emitWarning', () => {});
    const [known, unknown] = [await createAuthority(t), await createAuthority(t)];
    const server = await startServer(t, await known.issue('database'));
    for (const [index, mode] of ['require', 'verify-ca', 'verify-full'].entries()) {
      const verified = `sslmode=${mode}&sslrootcert=${known.certFile}`;
      await assert.rejects(server.open(verified), /Connection terminated unexpectedly$/);
      assert.equal(server.countTrusting(), index + 1, mode);
      await assert.rejects(server.open(verified, '127.0.0.2'), /does not match certificate's altn/);
      const others = `sslmode=${mode}&sslrootcert=${unknown.certFile}`;
      await assert.rejects(server.open(others), /certificate signature failure$/);
      await assert.rejects(server.open(`sslmode=${mode}`), /unable to verify the first cert/);
      assert.equal(server.countTrusting(), index + 1, mode);
    }
    // By the rules of libpq, which its caller wants.
    await assert.rejects(server.open('uselibpqcompat=true&sslmode=require'), /Connection terminated unexpectedly$/);
    assert.equal(server.countTrusting(), 4);
    assert.equal(warned.mock.callCount(), 0);
  });

  it('is not gone without where the server has none', async (t) => {
    const server = await startServer(t, undefined);
    for (const mode of ['prefer', 'require', 'no-verify'])
      await assert.rejects(server.open(`sslmode=${mode}`), /server does not support SSL connec/);
  });
});
