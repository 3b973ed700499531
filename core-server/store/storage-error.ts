import type { Knex } from 'knex';
import { refuse } from '../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../runtime/node-patches/symbol-property.js';
import { createSemaphore, type Semaphore } from '../common/semaphore.js';
import { sqliteFileOf } from './sqlite/sqlite-file.js';

const turns = createSymbolProperty<Knex, Semaphore>();

/** Owners take turns for the connections of a store: in the one line of its pool, those of one would hold up all. */
function turnsAt(db: Knex): Semaphore {
  const { pool, acquireConnectionTimeout: maxWaitMs } = (db.client as Knex.Client).config;
  const own =
    turns.get(db) ?? createSemaphore('a connection', { maxRunning: pool?.max ?? 1, maxWaiting: Infinity, maxWaitMs });
  turns.set(db, own);
  return own;
}

/**
 * Runs a query, which must not have been started, when the turn of its owner comes. Whatever the database throws becomes
 * STORE_UNAVAILABLE with the cause kept: most of it passes, or an operator mends it while we serve, and no list of codes
 * would ever be whole.
 *
 * @param owner on whose behalf it is done; by default that of the administration and of commands
 */
export async function withStorageErrors<T>(db: Knex, query: PromiseLike<T>, owner = ''): Promise<T> {
  const file = sqliteFileOf(db);
  try {
    return await turnsAt(db).run(owner, async () => {
      file?.assertInPlace();
      const result = await query;
      // Written to a file that has lost its name meanwhile, it would be lost with the process.
      file?.assertInPlace();
      return result;
    });
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
