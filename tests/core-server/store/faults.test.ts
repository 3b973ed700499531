import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { after, describe, it, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { Knex } from 'knex';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createKnexApiKeyStore } from '../../../core-server/access/keys/knex-api-key-store.js';
import { createDatabase, type DatabaseOptions, waitForDatabase } from '../../../core-server/store/database.js';
import { Refusal } from '../../../runtime/errors/refusal.js';
import { collectLog } from '../../helpers/collect-log.js';
import { openDatabase, startDialects } from '../../helpers/databases/databases.js';
import { keyOf, registerAcme } from './fixtures.js';

const dialects = await startDialects();
const [sqlite, postgres] = dialects;
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

for (const dialect of dialects) {
  describe(`faults on ${dialect.name}`, { skip: dialect.skip }, () => {
    it('waits for another writer, and refuses as worth a retry when that takes too long', async (t) => {
      const place = await dialect.place(t);
      const companies = await registerAcme(await openDatabase(t, place));
      const impatient = createKnexCompanyStore(await openDatabase(t, { ...place, statementTimeoutMs: 700 }));
      const other = await openDatabase(t, place);

      const short = await holdCompany(other);
      const waiting = companies.setScore('acme', 0.5);
      await sleep(200);
      await short.rollback();
      assert.ok(await waiting);

      const long = await holdCompany(other);
      await assert.rejects(impatient.setScore('acme', 0.6), isWorthARetry);
      await long.rollback();
      assert.deepEqual(await impatient.findScore('acme'), { score: 0.5 });
      assert.ok(await impatient.setScore('acme', 0.6));
    });

    it('lets owners take turns, whatever waits of one', async (t) => {
      // With several, one that a busy machine holds up is overtaken by the others.
      const limits = { maxConnections: 1, statementTimeoutMs: 60_000 };
      const db = await openDatabase(t, { ...(await dialect.place(t)), ...limits });
      const [companies, keys] = [await registerAcme(db), createKnexApiKeyStore(db)];
      let answered = 0;
      const ask = (name: string) => companies.findScore(name, 'flood').then(() => (answered += 1));
      const flood = Array.from({ length: 1_000 }, (_, index) => ask(`company-${index}`));
      assert.equal(await keys.find(keyOf('a').apiKey.id, 'other'), undefined);
      assert.ok(answered < 20, `${answered} were answered before`);
      await Promise.all(flood);
    });

    it('hides what went wrong underneath, whatever is asked', async (t) => {
      const db = await openDatabase(t, await dialect.place(t));
      await db.schema.alterTable('companies', (table) => table.renameColumn('name', 'lost'));
      await db.schema.alterTable('api_keys', (table) => table.renameColumn('id', 'lost'));
      const [companies, keys] = [createKnexCompanyStore(db), createKnexApiKeyStore(db)];
      const key = keyOf('a');
      for (const ask of [
        () => companies.insert('acme', 'scrypt$', new Date()),
        () => companies.setPasswordHash('acme', 'scrypt$'),
        () => companies.findPasswordHash('acme'),
        () => companies.findScore('acme'),
        () => companies.setScore('acme', 0.5),
        () => companies.list(1),
        () => companies.delete('acme'),
        () => keys.insert(key),
        () => keys.find(key.apiKey.id),
        () => keys.list(1),
        () => keys.revoke(key.apiKey.id, new Date()),
      ])
        await assert.rejects(ask(), (error: Refusal) => {
          assert.match(String((error.cause as Error).message), /companies|api_keys/, String(ask));
          return isWorthARetry(error);
        });
    });

    it('keeps hashes of secrets out of the error that is logged', async (t) => {
      const db = await openDatabase(t, await dialect.place(t));
      const companies = createKnexCompanyStore(db);
      await db.schema.renameTable('companies', 'lost_companies');
      await db.schema.renameTable('api_keys', 'lost_api_keys');
      const writes: (() => Promise<unknown>)[] = [
        () => companies.insert('acme', 'scrypt$hash-of-a-password', new Date()),
        () => companies.setPasswordHash('acme', 'scrypt$hash-of-a-password'),
        // Its hash is 5e 5e ….
        () => createKnexApiKeyStore(db).insert(keyOf('^')),
      ];
      for (const write of writes) {
        await assert.rejects(write(), ({ cause }: Refusal) => {
          // The statement is there, with its placeholders.
          assert.match((cause as Error).message, /(insert into|update) .*(companies|api_keys)/);
          assert.doesNotMatch(inspect(cause, { depth: 9 }), /hash-of-a-password|5e ?5e/);
          return true;
        });
      }
    });
  });
}

test('a SQLite store loses no answered score when the process is killed', async (t) => {
  const place = await sqlite.place(t);
  await registerAcme(await openDatabase(t, place));
  for (const count of [1, 5]) {
    const answered = await writeUntilKilled(place, count);
    const db = await openDatabase(t, place);
    const stored = await createKnexCompanyStore(db).findScore('acme');
    // One more may have been written and not yet answered.
    const found = Math.round((stored?.score ?? 0) * 1e6);
    assert.ok(found >= answered && answered >= count, `answered ${answered}, found ${found}`);
  }
});

describe('a pool of few PostgreSQL connections', { skip: postgres.skip }, () => {
  it('serves many writers in turn, and refuses as worth a retry while all are taken', async (t) => {
    const place = await postgres.place(t);
    const db = await openDatabase(t, { ...place, maxConnections: 2, statementTimeoutMs: 2_000 });
    const companies = await registerAcme(db);
    const writes = Array.from({ length: 100 }, (_, index) => companies.setScore('acme', index / 1000));
    assert.ok((await Promise.all(writes)).every(Boolean));

    const held = await Promise.all([db.transaction(), db.transaction()]);
    const waiting = [companies.findScore('acme'), companies.setScore('acme', 0.5)];
    const isTold = (error: Refusal) =>
      isWorthARetry(error) && String(error.cause) === 'Error: no connection was free in time';
    await Promise.all(waiting.map((answer) => assert.rejects(answer, isTold)));
    await Promise.all(held.map((transaction) => transaction.rollback()));
    assert.ok(await companies.setScore('acme', 0.5));
  });
});

describe('a PostgreSQL server that crashes', { skip: postgres.skip }, () => {
  it('loses no answered score, and is used again once it is back', async (t) => {
    const db = await openDatabase(t, await postgres.place(t));
    const companies = await registerAcme(db);
    // Leaves several open connections in the pool.
    await Promise.all(Array.from({ length: 5 }, () => companies.setScore('acme', 0.123456)));
    await postgres.server?.crash();
    await postgres.server?.restart();

    let refused = 0;
    const read = async (): Promise<unknown> => {
      try {
        return await companies.findScore('acme');
      } catch (error) {
        isWorthARetry(error);
        refused += 1;
        assert.ok(refused < 10);
        return read();
      }
    };
    assert.deepEqual(await read(), { score: 0.123456 });
  });
});

describe('a PostgreSQL database that is being restored', { skip: postgres.skip }, () => {
  it('is refused as worth a retry until it is back', async (t) => {
    const place = await postgres.place(t);
    const db = await openDatabase(t, place);
    const companies = await registerAcme(db);
    const [{ name } = { name: '' }] = await db
      .select<{ name: string }[]>(db.raw('current_database() AS name'))
      .limit(1);
    const other = await openDatabase(t, await postgres.place(t));
    await other.raw('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?', [name]);
    await other.raw(`ALTER DATABASE ${name} RENAME TO aside`);
    // The first may meet the connection that was ended.
    for (let time = 0; time < 3; time += 1) await assert.rejects(companies.findScore('acme'), isWorthARetry);
    await other.raw(`ALTER DATABASE aside RENAME TO ${name}`);
    assert.deepEqual(await companies.findScore('acme'), { score: undefined });
    await db.schema.renameTable('companies', 'aside');
    await assert.rejects(companies.findScore('acme'), isWorthARetry);
    await db.schema.renameTable('aside', 'companies');
    assert.deepEqual(await companies.findScore('acme'), { score: undefined });
  });
});

describe('a PostgreSQL server that may only be read', { skip: postgres.skip }, () => {
  /** From when on new connections may write or not; those that are open stay as they are. */
  const setReadOnly = (db: Knex, isReadOnly: boolean) =>
    db.raw(
      `DO $$ BEGIN EXECUTE format(
        'ALTER DATABASE %I SET default_transaction_read_only = ${isReadOnly}', current_database()
      ); END $$`,
    );

  it('is started with and read, and written to as soon as it may be again', async (t) => {
    const place = await postgres.place(t);
    const other = await openDatabase(t, place);
    await registerAcme(other);
    await setReadOnly(other, true);
    const companies = createKnexCompanyStore(await openDatabase(t, { ...place, maxConnections: 1 }));
    assert.deepEqual(await companies.findScore('acme'), { score: undefined });
    await assert.rejects(companies.setScore('acme', 0.5), isWorthARetry);
    await setReadOnly(other, false);
    assert.ok(await companies.setScore('acme', 0.5));
  });

  it('is served from and refused as worth a retry where only our role may not write', async (t) => {
    const place = await postgres.place(t);
    const other = await openDatabase(t, place);
    await registerAcme(other);
    await other.raw("CREATE ROLE reader LOGIN PASSWORD 'reader'");
    const urlAs = (parts: object) =>
      Object.assign(new URL(place.url ?? ''), { username: 'reader', password: 'reader', ...parts }).href;
    const url = urlAs({});
    // Not waited for: nobody is told of a role or a database that is wrong from the start.
    const { log, entries } = collectLog();
    for (const [wrong, why] of [
      [url, /permission denied for table knex_migrations/],
      [urlAs({ password: 'wrong' }), /password authentication failed for user "reader"/],
      [urlAs({ pathname: '/nowhere' }), /database "nowhere" does not exist/],
    ] as const)
      await assert.rejects(waitForDatabase({ ...place, url: wrong }, log), why);
    assert.deepEqual(entries, []);
    await other.raw('GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader');
    const companies = createKnexCompanyStore(await openDatabase(t, { ...place, url }));
    assert.deepEqual(await companies.findScore('acme'), { score: undefined });
    await assert.rejects(companies.setScore('acme', 0.5), isWorthARetry);
    await other.raw('GRANT UPDATE ON companies TO reader');
    assert.ok(await companies.setScore('acme', 0.5));
  });

  it('is waited for where its schema is not up to date', async (t) => {
    const place = await postgres.place(t);
    const other = await openDatabase(t, place);
    await other('knex_migrations').delete();
    await setReadOnly(other, true);
    const log = collectLog();
    const opening = waitForDatabase(place, log.log);
    await log.waitFor(({ msg }) => /read-only transaction; trying again$/.test(String(msg)));
    await other('knex_migrations').insert({ name: '0001-create-api-keys-and-companies', batch: 1 });
    await (await opening).destroy();
  });
});

describe('a PostgreSQL server that stops to answer and keeps its connections', { skip: postgres.skip }, () => {
  /** Stands the server process behind a connection of the pool still until the test is over. */
  async function freeze(t: TestContext, db: Knex): Promise<void> {
    const { rows } = await db.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
    const [{ pid } = { pid: NaN }] = rows;
    process.kill(pid, 'SIGSTOP');
    t.after(() => process.kill(pid, 'SIGCONT'));
  }

  it('refuses as worth a retry, and is asked over another connection then', { timeout: 30_000 }, async (t) => {
    const place = await postgres.place(t);
    const db = await openDatabase(t, { ...place, maxConnections: 1, statementTimeoutMs: 1_000 });
    await freeze(t, db);
    const companies = createKnexCompanyStore(db);
    await assert.rejects(companies.findScore('acme'), isWorthARetry);
    assert.equal(await companies.findScore('acme'), undefined);
  });

  it('does not keep the process from its end', { timeout: 30_000 }, async (t) => {
    const db = await createDatabase({ ...(await postgres.place(t)), maxConnections: 1 });
    const client = db.client as Knex.Client;
    const connection = (await client.acquireConnection()) as { connection: { stream: Socket } };
    await client.releaseConnection(connection);
    await freeze(t, db);
    await db.destroy();
    assert.equal(connection.connection.stream.destroyed, true);
  });

  /** An empty database whose start lock another replica has, and its connection. */
  async function placeLocked(t: TestContext) {
    const place = { ...(await postgres.place(t)), statementTimeoutMs: 500 };
    const holder = await postgres.server?.connect(new URL(place.url ?? '').pathname.slice(1));
    assert.ok(holder);
    t.after(() => holder.end());
    await holder.query('SELECT pg_advisory_lock(7302114521)');
    return { place, holder };
  }

  it('is waited for where another replica brings the schema up to date', { timeout: 30_000 }, async (t) => {
    const { place, holder } = await placeLocked(t);
    const log = collectLog();
    const opening = waitForDatabase(place, log.log);
    await log.waitFor(({ msg }) => /statement timeout; trying again$/.test(String(msg)));
    await holder.query('SELECT pg_advisory_unlock(7302114521)');
    await (await opening).destroy();
  });

  it('is no longer waited for then by who is told to stop', { timeout: 30_000 }, async (t) => {
    const { place } = await placeLocked(t);
    const stopping = new AbortController();
    const { log, entries } = collectLog();
    const opening = waitForDatabase(place, log, stopping.signal);
    stopping.abort();
    await assert.rejects(opening, { name: 'AbortError' });
    assert.deepEqual(entries, []);
  });
});

function isWorthARetry(error: unknown): true {
  assert.ok(error instanceof Refusal);
  assert.equal(error.reason, 'STORE_UNAVAILABLE', String(error.cause));
  assert.equal(error.message, 'the configuration store is not available, try again');
  assert.equal(error.retryAfterSeconds, 1);
  return true;
}

/** Begins a write of the company that is not ended yet. */
async function holdCompany(db: Knex): Promise<Knex.Transaction> {
  const transaction = await db.transaction();
  await transaction('companies').where({ name: 'acme' }).update({ password_hash: 'scrypt$2' });
  return transaction;
}

/** Kills a writer as soon as it answered `count` writes. @returns the last that it answered */
async function writeUntilKilled(place: DatabaseOptions, count: number): Promise<number> {
  const script = fileURLToPath(new URL('./store-writer.js', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(place), 'count', 'acme'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let answered = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    answered = Number(/^answered (\d+)$/.exec(line)?.[1]);
    if (answered === count) child.kill('SIGKILL');
  }
  assert.deepEqual(await closed, [null, 'SIGKILL']);
  return answered;
}
