import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { ConfigError } from '../../runtime/errors/config-error.js';
import { hasMigrations, migrateDatabase } from './migrations/migrate.js';
import { openPostgres } from './postgres/open-postgres.js';
import { describePostgresUrl } from './postgres/postgres-url.js';
import { openSqlite } from './sqlite/open-sqlite.js';
import { createPrivateFile, sqliteFileName } from './sqlite/sqlite-file.js';
import { inOurWords } from './storage-error.js';

export type Database = Knex;

export interface DatabaseOptions {
  /** A valid `postgres://` or `postgresql://` URL; absent: a SQLite file in `dataDir`. */
  readonly url?: string | undefined;
  /** Folder of the SQLite file; both are created if absent, for their owner only. Not used with `url`. */
  readonly dataDir: string;
  /** Maximum number of PostgreSQL connections of this process; 5 if absent. */
  readonly maxConnections?: number;
  /**
   * Milliseconds that a write waits for another process's write (SQLite), that a statement may take (PostgreSQL), and
   * that a call waits for a connection from the pool, before the call is refused as retryable; 5000 if absent.
   */
  readonly statementTimeoutMs?: number;
}

/** Few connections suffice for statements of a millisecond; PostgreSQL allows 100 for all cores together. */
export const storeDefaults = { maxConnections: 5, statementTimeoutMs: 5_000 };

/**
 * Opens the configuration store and brings its tables up to date. Several processes may do so at
 * once. The caller ends it with `destroy()`.
 *
 * @throws Error that says which store cannot be opened, without the URL's password; ConfigError if a newer version wrote it
 */
export async function createDatabase(options: DatabaseOptions): Promise<Knex> {
  let db: Knex | undefined;
  try {
    if (options.url === undefined) await createIfMissing(fileOf(options));
    db = openDatabase(options);
    await migrateDatabase(db);
    return db;
  } catch (cause) {
    await db?.destroy();
    throw cannotOpen(options, cause);
  }
}

/** Whether a core or a command has made this store, of whatever version. @throws as {@link createDatabase} does */
export async function hasStore(options: DatabaseOptions): Promise<boolean> {
  let db: Knex | undefined;
  try {
    if (options.url === undefined) return statSync(fileOf(options), { throwIfNoEntry: false }) !== undefined;
    db = openDatabase(options);
    return await hasMigrations(db);
  } catch (cause) {
    throw cannotOpen(options, cause);
  } finally {
    await db?.destroy();
  }
}

const fileOf = ({ dataDir }: DatabaseOptions): string => path.join(dataDir, sqliteFileName);

/** Where a store is and which setting says so, without the URL's password. */
export function describePlace(options: DatabaseOptions): string {
  const { url } = options;
  return url === undefined ? `${fileOf(options)} (in CORE_DATA_DIR)` : `${describePostgresUrl(url)} (in DATABASE_URL)`;
}

function cannotOpen(options: DatabaseOptions, cause: unknown): Error {
  const Failure = cause instanceof ConfigError ? ConfigError : Error;
  return new Failure(`cannot open the configuration store ${describePlace(options)}: ${describe(inOurWords(cause))}`, {
    cause,
  });
}

async function createIfMissing(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await createPrivateFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** The same for a store that exists, as it is; a connection is only opened when it is needed. */
export function openDatabase(options: DatabaseOptions): Knex {
  const { url, maxConnections, statementTimeoutMs } = { ...storeDefaults, ...options };
  const common: Knex.Config = {
    acquireConnectionTimeout: statementTimeoutMs,
    // Error messages show the statement with placeholders, since values may be hashes of secrets.
    compileSqlOnError: false,
    log: silent,
  };
  return url === undefined
    ? openSqlite(fileOf(options), common, statementTimeoutMs)
    : openPostgres(url, common, statementTimeoutMs, maxConnections);
}

function describe(caught: unknown): string {
  if (!(caught instanceof Error)) return String(caught);
  // All addresses of the host were tried; the aggregate error has no message of its own.
  if (caught instanceof AggregateError) return caught.errors.map(describe).join(', ');
  const { message } = caught;
  // So SQLite says, too, that a disk has no room for the files beside its own.
  if (/\bSQLITE_IOERR\b/.test(message)) return `${message}; want a disk that works and is not full`;
  const denied = /^(EACCES|EPERM|EROFS|SQLITE_CANTOPEN|SQLITE_READONLY)\b/.test(message);
  return denied ? `${message}; want a file, and a folder, that the user of this process may write` : message;
}

// Every failure reaches the caller as an error; knex would also print it.
const ignore = (): void => undefined;
const silent: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

const retryMs = 1_000;

/** What only an operator changes: PostgreSQL's role or password, its databases, schemas, tables or rights. */
const mistakes = /^(28|3D|3F|42)/;

/**
 * Opens the configuration store like {@link createDatabase}, and waits for a PostgreSQL that is not up yet,
 * for example after a power failure of both machines, until `stopping` is aborted.
 */
export async function waitForDatabase(options: DatabaseOptions, log: Logger, stopping?: AbortSignal): Promise<Knex> {
  for (;;) {
    stopping?.throwIfAborted();
    try {
      return await createDatabase(options);
    } catch (error) {
      stopping?.throwIfAborted();
      const { message, cause } = error as Error & { cause: NodeJS.ErrnoException };
      const isMistake = error instanceof ConfigError || mistakes.test(cause.code ?? '');
      if (options.url === undefined || isMistake) throw error;
      log.warn(`${message}; trying again`);
      // The next round throws if it was aborted.
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}
