import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createConfig } from '../../../core-server/compose/config.js';
import { createDatabase, waitForDatabase } from '../../../core-server/store/database.js';
import { sqliteFileName } from '../../../core-server/store/sqlite/sqlite-file.js';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { collectLog } from '../../helpers/collect-log.js';
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

  it('does not wait where pg cannot read the address, or a file that it names', async () => {
    const mistaken = [
      ['secret%ff@h/d', 'h/d', 'URI malformed; want % in the password as %25'],
      ['secret@h/d?sslrootcert=/no/ca.pem', 'h/d', "ENOENT: no such file or directory, open '/no/ca.pem'"],
    ] as const;
    for (const [rest, shown, why] of mistaken) {
      const { DATABASE_URL } = createConfig({ DATABASE_URL: `postgres://u:${rest}` });
      await assert.rejects(waitForDatabase({ url: DATABASE_URL, dataDir: '' }, collectLog().log), {
        name: 'ConfigError',
        message: `cannot open the configuration store postgres://${shown} (in DATABASE_URL): ${why}`,
      });
    }
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
      const log = collectLog();
      const stopping = new AbortController();
      const opening = waitForDatabase({ url: DATABASE_URL, dataDir: '' }, log.log, stopping.signal);
      const { msg } = await log.waitFor(() => true);
      stopping.abort();
      await assert.rejects(opening, { name: 'AbortError' });
      const socket = path.join(dataDir, '.s.PGSQL.5432');
      const said = `cannot open the configuration store postgres://${shown} (in DATABASE_URL): connect ENOENT ${socket}`;
      assert.equal(msg, `${said}; trying again`);
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
