import type { Knex } from 'knex';
import { refuse } from '../../runtime/errors/refusal.js';
import { sqliteFileOf } from './sqlite/sqlite-file.js';

/**
 * Runs a query, which must not have been started. Whatever the database throws becomes STORE_UNAVAILABLE with the cause
 * kept: most of it passes, or an operator mends it while we serve, and no list of codes would ever be whole.
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
    const message = 'the configuration store is not available, try again';
    throw refuse('STORE_UNAVAILABLE', message, { retryAfterSeconds: 1, cause: inOurWords(caught) });
  }
}

/** The same error, except where knex suspects a forgotten transaction. */
export function inOurWords(caught: unknown): unknown {
  const isPoolFull = caught instanceof Error && caught.name === 'KnexTimeoutError';
  return isPoolFull ? new Error('no connection was free in time', { cause: caught }) : caught;
}
