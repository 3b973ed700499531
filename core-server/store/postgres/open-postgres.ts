import knex, { type Knex } from 'knex';
import type { Client } from 'pg';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { closeOnConnectFailure, limitEnd } from '../driver-patches/knex-drivers.js';
import { withVerifiedTls } from './postgres-url.js';

/** PostgreSQL reports a statement that took too long; if nothing arrives for this much longer, it is gone. */
const answerDelayMs = 1_000;
/** How long to wait for PostgreSQL to close a connection: an open socket keeps the process alive. */
const closeTimeoutMs = 1_000;

/** Whether this is PostgreSQL; otherwise it is SQLite. */
export function isPostgres(db: Knex): boolean {
  return (db.client as Knex.Client).config.client === 'pg';
}

/**
 * knex over PostgreSQL, also where that stops responding with its connections open, as behind some firewalls.
 *
 * @throws ConfigError if pg cannot read the address, or a file that it names
 */
export function openPostgres(
  url: string,
  common: Knex.Config,
  statementTimeoutMs: number,
  maxConnections: number,
): Knex {
  const connectionString = withVerifiedTls(url);
  const unusable = new Set<string>();
  const db = knex({
    ...common,
    client: 'pg',
    // Otherwise knex asks each new connection for it. We use nothing that depends on it.
    version: '13',
    connection: {
      connectionString,
      // Sooner than who waits for it gives up, and would take the pool for full.
      connectionTimeoutMillis: 0.8 * statementTimeoutMs,
      query_timeout: statementTimeoutMs + answerDelayMs,
      keepAlive: true,
      application_name: 'image-analysis',
    },
    pool: {
      min: 0,
      max: maxConnections,
      afterCreate: preparePostgres(statementTimeoutMs),
      validate: ({ __knexUid: id }: { readonly __knexUid: string }) => !unusable.delete(id),
    },
  });
  db.on('query-error', ({ message, code }: NodeJS.ErrnoException, { __knexUid }: { readonly __knexUid: string }) => {
    // The next statement would queue behind the one without a response, which pg gives no code.
    const isUnanswered = message.endsWith('Query read timeout');
    // Where a server has become read-only, a new connection reaches the one that took over.
    if (isUnanswered || code === '25006') unusable.add(__knexUid);
  });
  assertReadable(closeOnConnectFailure(db), connectionString);
  return db;
}

/** Before each connection pg does the same, and would fail for as long as it is tried. */
function assertReadable(Connection: typeof Client, connectionString: string): void {
  try {
    void new Connection({ connectionString });
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError(error instanceof URIError ? `${message}; want % in the password as %25` : message);
  }
}

// A statement, not a startup parameter, since connection poolers refuse unknown parameters.
function preparePostgres(statementTimeoutMs: number) {
  return (connection: Client, done: (error: Error | null, connection: Client) => void): void => {
    limitEnd(connection, closeTimeoutMs);
    connection.query(`SET statement_timeout = ${statementTimeoutMs}`, (error) => {
      // The pool then drops it without closing it.
      if (error) void connection.end();
      done(error, connection);
    });
  };
}
