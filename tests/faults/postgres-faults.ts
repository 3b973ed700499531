import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type PostgresServer, startPostgres } from '../helpers/databases/postgres.js';
import { mountSmallDisk, type SmallDisk } from '../helpers/databases/small-disk.js';
import { startTcpSwitch } from '../helpers/net/tcp-switch.js';

/** Longer than the core waits for a statement (5 s) and for the word that it took too long (1 s). */
const outlastMs = 7_000;
const shortMs = 2_000;

/** A server and its standby, behind one address. */
interface PostgresFaults {
  readonly url: string;
  /** Each ends when the server could answer again. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>;
  close(): Promise<void>;
}

/** @throws Error if there is no PostgreSQL */
export async function startPostgresFaults(): Promise<PostgresFaults> {
  const disk = mountSmallDisk('1g');
  const first = await startPostgres({ fsync: true, folder: disk?.folder });
  if ('skip' in first) {
    disk?.unmount();
    throw new Error(first.skip);
  }
  let primary: PostgresServer = first;
  const url = new URL(await primary.createDatabase());
  const database = url.pathname.slice(1);
  let standby = await primary.startStandby();
  const address = await startTcpSwitch(primary.port);
  url.port = String(address.port);

  const faults = {
    /** The server dies; the standby takes over, and gets a standby of its own. */
    async failover() {
      await primary.crash();
      await standby.promote();
      await primary.stop();
      primary = standby;
      address.turnTo(primary.port);
      standby = await primary.startStandby();
    },
    /** It accepts connections, and answers nothing. */
    async silence() {
      address.silence();
      await sleep(outlastMs);
      address.turnTo(primary.port);
    },
    /** The address leads to the standby, which may only be read. */
    async 'read-only replica'() {
      address.turnTo(standby.port);
      await sleep(shortMs);
      address.turnTo(primary.port);
    },
    /** A commit waits for a standby that is gone. */
    async 'lost standby'() {
      await standby.crash();
      await sleep(outlastMs);
      await standby.restart();
    },
    /** Others have all connections of the server. */
    async 'no connections left'() {
      const others: pg.Client[] = [];
      address.turnTo(standby.port);
      for (;;) {
        const other = await primary.connect(database).catch(() => undefined);
        if (other === undefined) break;
        others.push(other);
      }
      address.turnTo(primary.port);
      await sleep(shortMs);
      for (const other of others) await other.end();
    },
    /** Statements wait for another's lock, until they have all connections of the core. */
    async 'exhausted pool'() {
      const other = await primary.connect(database);
      await other.query('BEGIN; LOCK TABLE companies, api_keys IN ACCESS EXCLUSIVE MODE');
      await sleep(outlastMs);
      await other.end();
    },
  };
  /** The next piece of the log has no room, which ends both servers. */
  const fillDisk = (small: SmallDisk) => async (): Promise<void> => {
    const other = await primary.connect(database);
    small.fill();
    const write = () => other.query("SELECT pg_logical_emit_message(false, '', repeat('x', 4000000))");
    while (await isAnswered(write())) continue;
    await sleep(shortMs);
    small.empty();
    for (const server of [primary, standby]) {
      await server.crash();
      await server.restart();
    }
  };
  return {
    url: url.href,
    faults: { ...faults, ...(disk && { 'full disk': fillDisk(disk) }) },
    async close() {
      address.close();
      for (const server of [standby, primary]) await server.crash();
      await first.close();
      disk?.unmount();
    },
  };
}

function isAnswered(answer: Promise<unknown>): Promise<boolean> {
  return answer.then(
    () => true,
    () => false,
  );
}
