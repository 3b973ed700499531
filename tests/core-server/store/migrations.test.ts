import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createConfig } from '../../../core-server/compose/config.js';
import { createDatabase } from '../../../core-server/store/database.js';
import { sqliteFileName } from '../../../core-server/store/sqlite/sqlite-file.js';
import { isTemporary } from '../../../core-server/store/storage-error.js';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { openDatabase, placeSqlite, startDialects } from '../../helpers/databases/databases.js';

const dialects = await startDialects();
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

for (const dialect of dialects) {
  describe(`migrations on ${dialect.name}`, { skip: dialect.skip }, () => {
    it('runs once when several processes start together', async (t) => {
      const place = await dialect.place(t);
      const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((name) => register(place, name)));
      assert.deepEqual(outcomes, ['', '', '', '']);
      const db = await openDatabase(t, place);
      assert.equal((await createKnexCompanyStore(db).list(10)).length, 4);
      const names = await db('knex_migrations').pluck<string[]>('name');
      assert.deepEqual(names, [...new Set(names)]);
    });

    it('leaves nothing half done when a migration fails', async (t) => {
      const place = await dialect.place(t);
      const db = await createDatabase(place);
      // As before the first start, but with one table in the way of the second statement.
      await db.schema.dropTable('api_keys');
      await db('knex_migrations').delete();
      await db.destroy();
      await assert.rejects(createDatabase(place), /companies/);
      await assert.rejects(createDatabase(place), /companies/, 'no lock was left');
    });

    it('refuses a database that a newer version has migrated', async (t) => {
      const place = await dialect.place(t);
      const db = await createDatabase(place);
      await db('knex_migrations').insert({ name: '9999-of-tomorrow', batch: 2 });
      await db.destroy();
      await assert.rejects(createDatabase(place), {
        name: 'ConfigError',
        message: /: the database was written by a newer version \(migration 9999-of-tomorrow\); run that version/,
      });
    });
  });
}

const [, postgres] = dialects;

test('refuses a PostgreSQL database without Unicode', { skip: postgres.skip }, async (t) => {
  const place = await postgres.place(t);
  const name = 'without_unicode';
  const other = await openDatabase(t, place);
  await other.raw(`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'`);
  const url = new URL(`/${name}`, place.url).href;
  await assert.rejects(createDatabase({ ...place, url }), /: the encoding of the database is LATIN1, want UTF8$/);
});

describe('opening the store', () => {
  it('flushes every write of SQLite to the disk', async (t) => {
    const db = await openDatabase(t, await placeSqlite(t));
    const read = async (pragma: string): Promise<unknown> => {
      const [row] = await db.raw<object[]>(`PRAGMA ${pragma}`);
      return Object.values(row ?? {})[0];
    };
    assert.equal(await read('journal_mode'), 'wal');
    assert.equal(await read('synchronous'), 2); // FULL
    assert.equal(await read('application_id'), 0x494d4741);
  });

  it('says which file is no database', async (t) => {
    const { dataDir } = await placeSqlite(t);
    await writeFile(path.join(dataDir, sqliteFileName), 'no database at all '.repeat(100));
    await assert.rejects(
      createDatabase({ dataDir }),
      /cannot open the configuration store .*image-analysis\.sqlite3 \(in CORE_DATA_DIR\): .*not a database/,
    );
  });

  it("says which file is another program's", async (t) => {
    const place = await placeSqlite(t);
    const db = await createDatabase(place);
    await db('knex_migrations').delete();
    await db.raw('PRAGMA application_id = 1');
    await db.destroy();
    const message =
      /image-analysis\.sqlite3 \(in CORE_DATA_DIR\): the file is another program's \(application_id 1\); set/;
    await assert.rejects(createDatabase(place), { name: 'ConfigError', message });
  });

  it('says that another process has the file locked, also before the file is shared as ours are', async (t) => {
    const place = await placeSqlite(t);
    const db = await openDatabase(t, place);
    await db.raw('PRAGMA journal_mode = DELETE');
    const lock = await db.transaction();
    await lock.raw('PRAGMA user_version = 1');
    const opened = createDatabase({ ...place, statementTimeoutMs: 500 });
    await opened.catch(() => lock.rollback());
    await assert.rejects(opened, /SQLITE_BUSY/);
  });

  it('says which file it may not write, and who should', async (t) => {
    const { dataDir } = await placeSqlite(t);
    // Like the file of another user, but for root too.
    await mkdir(path.join(dataDir, sqliteFileName));
    await assert.rejects(
      createDatabase({ dataDir }),
      /image-analysis\.sqlite3 \(in CORE_DATA_DIR\): SQLITE_CANTOPEN: .*; want a file, and a folder, that the user of/,
    );
  });

  it('says which folder cannot be made', async (t) => {
    const { dataDir } = await placeSqlite(t);
    await writeFile(path.join(dataDir, 'file'), '');
    await assert.rejects(
      createDatabase({ dataDir: path.join(dataDir, 'file', 'data') }),
      /cannot open the configuration store .*file\/data\/image-analysis\.sqlite3 \(in CORE_DATA_DIR\): ENOTDIR/,
    );
  });

  it('says so, and does not try forever, where the system lets nobody make a folder', { timeout: 10_000 }, async () => {
    for (const dataDir of ['/proc/data', '/proc/self/data/below'])
      await assert.rejects(createDatabase({ dataDir }), /store \/proc\/.* \(in CORE_DATA_DIR\): ENOENT.*mkdir/);
  });

  it('refuses what is no PostgreSQL address, and never shows a password', async () => {
    const wrong = ['mysql://u:secret@h/d', 'secret', 'postgres//u:secret@h/d'];
    for (const url of [
      ...wrong,
      'postgres://u:secret@h:99999/d',
      'postgres://u:secret@h:1,i:2/d',
      'postgres://u:/secret@h/d',
      'postgres://secret:12/34@h/d',
      'postgres://secret:12?34@h/d',
      'postgres://secret:12#34@h/d',
      'postgres://u:secret@h/d?sslMode=verify-full',
      'postgres://u:secret@h/d?ssl-mode=verify-full',
      'postgres://u:secret@h/d?sslmode=',
      'postgres://u:secret@h/d?sslmode=require&sslcrl=revoked.pem',
    ]) {
      assert.throws(
        () => createConfig({ DATABASE_URL: url }),
        (error: Error) => {
          assert.ok(error instanceof ConfigError);
          assert.match(
            error.message,
            /want an address such as postgres:\/\/user:password@host:5432\/database, with \/ in the password as %2F and TLS as \?sslmode=verify-full$/,
          );
          assert.doesNotMatch(error.message, /secret/);
          return true;
        },
      );
    }
    const unreachable = 'postgres://u:secret@127.0.0.1:1/d';
    await assert.rejects(createDatabase({ url: unreachable, dataDir: '' }), {
      message:
        'cannot open the configuration store postgres://127.0.0.1:1/d (in DATABASE_URL): connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  it('waits for a Unix socket that is not there yet, in the forms that libpq and pg read', async (t) => {
    const { dataDir } = await placeSqlite(t);
    const addresses = [
      [`postgres://u:secret@/d?host=${dataDir}`, `${dataDir}/d`],
      [`postgres:///d?host=${dataDir}`, `${dataDir}/d`],
      [`postgres://u:secret@${encodeURIComponent(dataDir)}/d`, `${encodeURIComponent(dataDir)}/d`],
    ] as const;
    for (const [url, shown] of addresses) {
      const { DATABASE_URL } = createConfig({ DATABASE_URL: url });
      await assert.rejects(createDatabase({ url: DATABASE_URL, dataDir: '' }), ({ message, cause }: Error) => {
        const socket = path.join(dataDir, '.s.PGSQL.5432');
        assert.equal(
          message,
          `cannot open the configuration store postgres://${shown} (in DATABASE_URL): connect ENOENT ${socket}`,
        );
        return isTemporary(cause);
      });
    }
  });
});

/** Opens the store in a process of its own and registers a company. @returns what went wrong */
async function register(place: object, name: string): Promise<string> {
  const script = fileURLToPath(new URL('./store-writer.js', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(place), 'register', name]);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return errors;
}
