import knex, { type Knex } from 'knex';
import type { Database } from 'sqlite3';
import { useSqliteDriver } from '../driver-patches/knex-drivers.js';
import { SqliteFile } from './sqlite-file.js';

const walRetryMs = 20;

/** knex over the SQLite file, which must exist. */
export function openSqlite(filename: string, common: Knex.Config, statementTimeoutMs: number): Knex {
  const file = new SqliteFile(filename);
  const db = knex({
    ...common,
    // Opening may wait for another process: what kept it is told, if knex does not give up before.
    acquireConnectionTimeout: statementTimeoutMs + 1_000,
    client: 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    // One connection: SQLite has one writer, and reads take less time than a hand-over.
    pool: { min: 1, max: 1, afterCreate: prepareSqlite(file, statementTimeoutMs) },
  });
  useSqliteDriver(db);
  // Transactions have them too.
  db.userParams = { file };
  return db;
}

function prepareSqlite(file: SqliteFile, busyTimeoutMs: number) {
  return (connection: Database, done: (error: Error | null, connection: Database) => void): void => {
    file.noteOpened();
    connection.configure('busyTimeout', busyTimeoutMs);
    const giveUpAt = performance.now() + busyTimeoutMs;
    // With WAL, synchronous=NORMAL would be faster, but only with FULL does an acknowledged write survive a
    // power failure: the log is flushed before the statement returns.
    // What is deleted or replaced, such as the hash of a password, is overwritten in the file too.
    const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;';
    const prepare = (): unknown =>
      connection.exec(pragmas, (error: NodeJS.ErrnoException | null) => {
        // Two processes that turn a new file to WAL at once block each other, and SQLite answers
        // one of them at once, without the busy timeout.
        if (error?.code === 'SQLITE_BUSY' && performance.now() < giveUpAt) setTimeout(prepare, walRetryMs);
        else done(error, connection);
      });
    prepare();
  };
}
