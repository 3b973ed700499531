import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { createDatabase } from '../../core-server/db/knex.js';

/** Of the protocol of PostgreSQL: AuthenticationOk and ReadyForQuery. */
const welcome = Buffer.from([...[0x52, 0, 0, 0, 8, 0, 0, 0, 0], ...[0x5a, 0, 0, 0, 5, 0x49]]);

// As a pooler does whose server is gone.
test(
  'a connection whose first statement has no answer is closed',
  { timeout: 30_000 },
  async (t) => {
    const ends: Promise<unknown>[] = [];
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      ends.push(once(socket, 'close'));
      socket.once('data', () => socket.write(welcome));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const url = `postgres://user@127.0.0.1:${(server.address() as AddressInfo).port}/database`;
    await assert.rejects(
      createDatabase({ url, dataDir: '', statementTimeoutMs: 100 }),
      /^Error: cannot open the configuration store .*: no connection within 100 ms$/,
    );
    assert.ok(ends.length > 0);
    await Promise.all(ends);
  },
);
