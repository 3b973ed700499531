import * as driver from '@appthreat/sqlite3';
import type { Knex } from 'knex';
import KnexSqliteClient from 'knex/lib/dialects/sqlite3/index.js';
import { identify, isStill } from './file-identity.js';
import { openWal, type Wal } from './open-wal.js';

export const sqliteFileName = 'image-analysis.sqlite3';

const walRetryMs = 20;

/** knex's configuration for the SQLite file; its folder must exist. */
export function sqliteConfig(filename: string, statementTimeoutMs: number): Knex.Config {
  return {
    client: SqliteClient,
    connection: { filename },
    useNullAsDefault: true,
    // One connection: SQLite has one writer, and reads take less time than a hand-over.
    pool: { min: 1, max: 1, afterCreate: prepareSqlite(statementTimeoutMs) },
  };
}

interface SqliteConnection {
  configure(option: 'busyTimeout', ms: number): void;
  exec(sql: string, done: (error: Error | null) => void): void;
}

function prepareSqlite(busyTimeoutMs: number) {
  return (
    connection: SqliteConnection,
    done: (error: Error | null, connection: SqliteConnection) => void,
  ): void => {
    connection.configure('busyTimeout', busyTimeoutMs);
    const giveUpAt = performance.now() + busyTimeoutMs;
    // With WAL, synchronous=NORMAL would be faster, but only with FULL does an acknowledged write survive a
    // power failure: the log is flushed before the statement returns.
    const prepare = (): void =>
      connection.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;',
        (error) => {
          // Two processes that turn a new file to WAL at once block each other, and SQLite answers
          // one of them at once, without the busy timeout.
          if (isBusy(error) && performance.now() < giveUpAt) setTimeout(prepare, walRetryMs);
          else done(error, connection);
        },
      );
    prepare();
  };
}

function isBusy(error: Error | null): boolean {
  return error !== null && 'code' in error && error.code === 'SQLITE_BUSY';
}

/**
 * knex's SQLite dialect over the driver @appthreat/sqlite3: node-sqlite3 with its binaries inside
 * the npm package, so that an install needs neither a compiler nor a download from elsewhere.
 *
 * If the file is deleted or replaced while it is open, SQLite continues with a file that has no name any more, and
 * everything written is lost with the process. So no connection is handed out until the file is back, or
 * while it cannot be checked: its folder is not accessible, or its file system is not mounted. The same holds for the
 * files beside it, without which processes do not see what others commit.
 */
export class SqliteClient extends KnexSqliteClient {
  declare readonly connectionSettings: { readonly filename: string };
  /** The first that was opened; what a later connection opens may be another, or new and empty. */
  #file: string | undefined;
  /** What the connection has open, if it can tell commits. */
  #wal: Wal | undefined;

  /** What knex calls to load the driver. */
  _driver(): unknown {
    // Its constants are on the default export, which its types leave out.
    return (driver as typeof driver & { readonly default: unknown }).default;
  }

  override async acquireRawConnection(): Promise<unknown> {
    const connection: unknown = await super.acquireRawConnection();
    this.#file ??= identify(this.connectionSettings.filename);
    this.#wal = undefined;
    return connection;
  }

  /** @throws Error of the code SQLITE_READONLY, as SQLite does where it checks. */
  override async acquireConnection(): Promise<unknown> {
    const connection: unknown = await super.acquireConnection();
    const { filename } = this.connectionSettings;
    if (this.#isInPlace()) return connection;
    await this.releaseConnection(connection);
    const moved = new Error(
      `SQLITE_READONLY: ${filename}, its -wal or its -shm was moved, deleted or replaced`,
    );
    throw Object.assign(moved, { code: 'SQLITE_READONLY' });
  }

  /** Differs after each commit by any process; undefined if commits cannot be detected. */
  changeToken(): string | undefined {
    return this.#isInPlace() ? this.#wal?.readVersion() : undefined;
  }

  /**
   * Enables `changeToken` if it notices this commit: on some file systems, a read may not see what others have written
   * to shared memory.
   *
   * @param commit changes the store
   */
  async proveChangeToken(commit: () => Promise<unknown>): Promise<void> {
    const wal = openWal(this.connectionSettings.filename);
    const before = wal?.readVersion();
    await commit();
    if (before !== undefined && before !== wal?.readVersion()) this.#wal = wal;
  }

  #isInPlace(): boolean {
    const { filename } = this.connectionSettings;
    return isStill(this.#file, filename) && this.#wal?.isInPlace() !== false;
  }
}
