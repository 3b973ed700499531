import type { Duplex } from 'node:stream';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import * as sqlite from 'sqlite3';

// What knex and the drivers under it keep to themselves and we need all the same.

/**
 * Gives knex's SQLite dialect its driver. `sqlite3` is the name under which package.json installs @appthreat/sqlite3:
 * node-sqlite3 with its binaries inside the npm package. It is an ES module whose constants are on its default export
 * only, while knex takes what `require` returns, and would open files with flags of 0.
 *
 * - Gains: an install without compiler, and without a download from elsewhere.
 * - Costs: `client.driver` has a type, but knex does not document it.
 * - Delete when @appthreat/sqlite3 exports its constants by name, or sqlite3 has its binaries in its package.
 */
export function useSqliteDriver(db: Knex): void {
  // Its types leave out the default export.
  const { default: driver } = sqlite as typeof sqlite & { readonly default: unknown };
  (db.client as Knex.Client).driver = driver;
}

interface Connection {
  readonly connection: { readonly stream: Duplex };
}

/**
 * Has pg close a connection that it could not open, for whatever reason.
 *
 * - Gains: the process ends, and a core that serves keeps no socket for each request, although pg gave up itself, such as
 *   without a password; then the server waits for a minute.
 * - Costs: `client.driver` and pg's member `connection` as above and below.
 * - Delete when pg does so (https://github.com/brianc/node-postgres/issues/2907).
 *
 * @returns the class of such connections: pg is loaded by knex, and only where it is used
 */
export function closeOnConnectFailure(db: Knex): typeof Client {
  const client = db.client as Knex.Client;
  const driver = client.driver as { readonly Client: typeof Client };
  class ClosingClient extends driver.Client {
    override async connect(): Promise<Client> {
      try {
        return await super.connect();
      } catch (error) {
        (this as unknown as Connection).connection.stream.destroy();
        throw error;
      }
    }
  }
  client.driver = { Client: ClosingClient };
  return ClosingClient;
}

/**
 * From when a connection of pg is told to end, gives the server this long to close it.
 *
 * - Gains: the process ends although PostgreSQL hangs; pg waits for the server, which may take hours.
 * - Costs: pg's member `connection` has no type.
 * - Delete when `end()` of pg has a timeout.
 */
export function limitEnd(connection: object, timeoutMs: number): void {
  const { stream } = (connection as Connection).connection;
  stream.once('finish', () => {
    const timer = setTimeout(() => stream.destroy(), timeoutMs);
    stream.once('close', () => clearTimeout(timer));
  });
}
