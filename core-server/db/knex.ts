import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import knex, { type Knex } from 'knex';
import { migrateDatabase } from './migrate.js';
import { PostgresClient } from './postgres-client.js';
import { describePostgresUrl } from './postgres-url.js';
import { SqliteClient } from './sqlite-client.js';

/** The configuration store, open. */
export type Database = Knex;

/** Where the configuration store is. */
export interface DatabaseOptions {
  /** `postgres://` or `postgresql://` URL; absent: a SQLite file in `dataDir`. */
  readonly url?: string | undefined;
  /** Folder of the SQLite file; created if absent. Not used with `url`. */
  readonly dataDir: string;
  /** Most PostgreSQL connections of this process; 10 if absent. */
  readonly maxConnections?: number;
  /**
   * Milliseconds that a write waits for another process's write (SQLite), that a statement may take
   * (PostgreSQL), and that a call waits for a connection of the pool, before the call is refused as one
   * that may be tried again; 5000 if absent.
   */
  readonly statementTimeoutMs?: number;
}

export const sqliteFileName = 'image-analysis.sqlite3';

const defaultStatementTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;
/** PostgreSQL tells of a statement that took too long; where nothing comes for so much longer, it is gone. */
const answerDelayMs = 1_000;
const walRetryMs = 20;

/**
 * Opens the configuration store and brings its tables up to date. Several processes may do so at
 * once. The caller ends it with `destroy()`.
 *
 * @throws ConfigError where the URL is no address; Error that says which store cannot be opened, without
 * the URL's password.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Knex> {
  const { url, dataDir, statementTimeoutMs = defaultStatementTimeoutMs } = options;
  const file = path.join(dataDir, sqliteFileName);
  const place = url === undefined ? `${file} (in CORE_DATA_DIR)` : describePostgresUrl(url);
  let db: Knex | undefined;
  try {
    if (url === undefined) await mkdir(dataDir, { recursive: true, mode: 0o700 });
    db = knex(
      url === undefined
        ? sqliteConfig(file, statementTimeoutMs)
        : postgresConfig(url, statementTimeoutMs, options.maxConnections ?? 10),
    );
    await migrateDatabase(db);
    return db;
  } catch (cause) {
    await db?.destroy();
    throw new Error(`cannot open the configuration store ${place}: ${describe(cause)}`, { cause });
  }
}

function sqliteConfig(filename: string, statementTimeoutMs: number): Knex.Config {
  return {
    client: SqliteClient,
    connection: { filename },
    useNullAsDefault: true,
    acquireConnectionTimeout: statementTimeoutMs,
    // One connection: SQLite has one writer, and reads are shorter than a hand-over.
    pool: { min: 1, max: 1, afterCreate: prepareSqlite(statementTimeoutMs) },
    ...withoutValues,
    log: silent,
  };
}

interface SqliteConnection {
  configure(option: 'busyTimeout', ms: number): void;
  exec(sql: string, done: (error: Error | null) => void): void;
}

type Prepare<Connection> = (
  connection: Connection,
  done: (error: Error | null, connection: Connection) => void,
) => void;

function prepareSqlite(busyTimeoutMs: number): Prepare<SqliteConnection> {
  return (connection, done) => {
    connection.configure('busyTimeout', busyTimeoutMs);
    const giveUpAt = performance.now() + busyTimeoutMs;
    // With WAL, synchronous=NORMAL would be faster; FULL is what lets an answered write survive a
    // power cut: the log is flushed before the statement returns.
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

function postgresConfig(
  url: string,
  statementTimeoutMs: number,
  maxConnections: number,
): Knex.Config {
  return {
    client: PostgresClient,
    connection: {
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs + answerDelayMs,
      keepAlive: true,
      application_name: 'image-analysis',
    },
    acquireConnectionTimeout: statementTimeoutMs,
    pool: { min: 0, max: maxConnections, afterCreate: preparePostgres(statementTimeoutMs) },
    ...withoutValues,
    log: silent,
  };
}

interface PostgresConnection {
  query(sql: string, done: (error: Error | null) => void): void;
  end(): Promise<void>;
}

// A statement and not a start-up parameter: connection poolers refuse parameters they do not know.
function preparePostgres(statementTimeoutMs: number): Prepare<PostgresConnection> {
  return (connection, done) => {
    connection.query(`SET statement_timeout = ${statementTimeoutMs}`, (error) => {
      // The pool forgets it then.
      if (error) void connection.end();
      done(error, connection);
    });
  };
}

function describe(caught: unknown): string {
  // Each address of a host was tried; the sum of the errors has no message of its own.
  if (caught instanceof AggregateError) return caught.errors.map(describe).join(', ');
  return caught instanceof Error ? caught.message : String(caught);
}

// Messages of errors have the statement with its placeholders: values may be hashes of secrets.
const withoutValues = { compileSqlOnError: false } as const;

// Every failure reaches the caller as an error; knex would print it beside that.
const ignore = (): void => undefined;
const silent: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };
