import type { Knex } from 'knex';
import { asRefusal, refuse } from '../../runtime/errors/refusal.js';
import { isConnectFailure } from './postgres/open-postgres.js';
import { sqliteFileOf } from './sqlite/sqlite-file.js';

/**
 * Runs a query, which must not have been started; whatever the database throws becomes a Refusal with the cause kept.
 * STORE_UNAVAILABLE (worth trying again) when the store cannot be reached or is busy, restarting, being restored, full
 * or read-only, also for our role alone; otherwise INTERNAL.
 */
export async function withStorageErrors<T>(db: Knex, query: PromiseLike<T>): Promise<T> {
  const file = sqliteFileOf(db);
  try {
    file?.assertInPlace();
    const result = await query;
    // Written to a file that has lost its name meanwhile, it would be lost with the process.
    file?.assertInPlace();
    return result;
  } catch (caught) {
    if (!isTemporary(caught) && !isConnectFailure(caught) && !isSetUpLater(caught)) throw asRefusal(caught);
    const message = 'the configuration store is not available, try again';
    throw refuse('STORE_UNAVAILABLE', message, { retryAfterSeconds: 1, cause: inOurWords(caught) });
  }
}

/** The same error, except where knex suspects a forgotten transaction. */
export function inOurWords(caught: unknown): unknown {
  const isPoolFull = caught instanceof Error && caught.name === 'KnexTimeoutError';
  return isPoolFull ? new Error('no connection was free in time', { cause: caught }) : caught;
}

/**
 * Whether PostgreSQL's role lacks a right, or the database a table. An operator may grant the one and restore the other
 * while we serve; at the start, either is a mistake.
 */
function isSetUpLater(caught: unknown): boolean {
  return caught instanceof Error && 'code' in caught && ['42501', '42P01'].includes(String(caught.code));
}

const temporaryCodes: ReadonlySet<string> = new Set([
  // SQLite: another process holds the lock for longer than the busy timeout.
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  // SQLite: the disk is full, or its file system fails or is read-only. Acknowledged writes stay.
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  // The socket to PostgreSQL.
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  // PostgreSQL: serialization failure, deadlock, no lock, statement timeout.
  '40001',
  '40P01',
  '55P03',
  '57014',
  // PostgreSQL: input or output error; a standby that may only be read; no connections to this database.
  '58030',
  '25006',
  '55000',
]);

/**
 * Classes of PostgreSQL: connection exceptions, of which PgBouncer has 08P01 when PostgreSQL is away; insufficient
 * resources, such as connections, memory or disk; and connections that the server ends, for example because it
 * shuts down or because they were idle.
 */
const temporaryClasses = /^(08|53|57P)[0-9A-Z]+$/;

/** What drivers say without a code when a connection ends or cannot be had; knex puts the query and a dash before. */
const temporaryMessages =
  /(^| - )(Connection (terminated|ended)|Query read timeout|timeout (expired|exceeded)|Client (has encountered a connection error|was closed)|Unable to acquire a connection)/i;

/** Whether a driver's error may be resolved by itself or by the operator, without a restart. */
export function isTemporary(caught: unknown): boolean {
  if (!(caught instanceof Error)) return false;
  if (caught.name === 'KnexTimeoutError' || temporaryMessages.test(caught.message)) return true;
  // Several addresses of the host were tried.
  if (caught instanceof AggregateError) return caught.errors.some(isTemporary);
  const { code = '', syscall }: NodeJS.ErrnoException = caught;
  // PostgreSQL's Unix socket, which is there while the server runs.
  if (code === 'ENOENT' && syscall === 'connect') return true;
  return temporaryCodes.has(code) || temporaryClasses.test(code);
}
