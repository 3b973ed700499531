import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createDatabase, type DatabaseOptions } from './database.js';
import { isTemporary } from './storage-error.js';

const retryMs = 1_000;

/**
 * Opens the configuration store like {@link createDatabase}, and waits for a PostgreSQL that is not up yet,
 * for example after a power failure of both machines, until `stopping` is aborted.
 */
export async function waitForDatabase(
  options: DatabaseOptions,
  log: Logger,
  stopping?: AbortSignal,
): Promise<Knex> {
  for (;;) {
    stopping?.throwIfAborted();
    try {
      return await createDatabase(options);
    } catch (error) {
      const { message, cause } = error as Error;
      if (options.url === undefined || !isTemporary(cause)) throw error;
      log.warn(`${message}; trying again`);
      // The next round throws if it was aborted.
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}
