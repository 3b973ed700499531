import type { Knex } from 'knex';
import KnexPostgresClient from 'knex/lib/dialects/postgres/index.js';
import type { Client } from 'pg';
import { withVerifiedTls } from './postgres-url.js';

const connectTimeoutMs = 5_000;
/** PostgreSQL reports a statement that took too long; if nothing arrives for this much longer, it is gone. */
const answerDelayMs = 1_000;
/** How long to wait for PostgreSQL to close a connection. */
const closeTimeoutMs = 1_000;

/** Whether this is PostgreSQL; otherwise it is SQLite. */
export function isPostgres(db: Knex): boolean {
  return (db.client as Knex.Client).config.client === PostgresClient;
}

/** knex's configuration for PostgreSQL. */
export function postgresConfig(
  url: string,
  statementTimeoutMs: number,
  maxConnections: number,
): Knex.Config {
  return {
    client: PostgresClient,
    connection: {
      connectionString: withVerifiedTls(url),
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs + answerDelayMs,
      keepAlive: true,
      application_name: 'image-analysis',
    },
    pool: { min: 0, max: maxConnections, afterCreate: preparePostgres(statementTimeoutMs) },
  };
}

interface PostgresConnection {
  query(sql: string, done: (error: Error | null) => void): void;
  end(): Promise<void>;
}

// A statement, not a startup parameter, since connection poolers refuse unknown parameters.
function preparePostgres(statementTimeoutMs: number) {
  return (
    connection: PostgresConnection,
    done: (error: Error | null, connection: PostgresConnection) => void,
  ): void => {
    connection.query(`SET statement_timeout = ${statementTimeoutMs}`, (error) => {
      // The pool then drops it without closing it.
      if (error) void connection.end();
      done(error, connection);
    });
  };
}

/** A connection with members that the types of its driver and knex lack. */
type Connection = Client & {
  readonly connection: { readonly stream: { destroy(): void } };
  /** If truthy, knex does not use it any more. */
  __knex__disposed?: unknown;
};

/**
 * knex's PostgreSQL dialect, extended for servers that stop responding without closing the connection: a
 * frozen machine, or a firewall that drops packets.
 */
class PostgresClient extends KnexPostgresClient {
  /**
   * Ends a connection whose statement got no response: the next would queue behind it. Retires one whose server
   * has become read-only: a new connection reaches the server that took over.
   */
  override async _query(connection: Connection, query: unknown): Promise<unknown> {
    try {
      return await super._query(connection, query);
    } catch (error) {
      const isSilent = isReadTimeout(error);
      if (isSilent || isReadOnly(error)) connection.__knex__disposed = error;
      if (isSilent) void connection.end();
      throw error;
    }
  }

  override async acquireRawConnection(): Promise<unknown> {
    try {
      return await super.acquireRawConnection();
    } catch (error) {
      if (error instanceof Error) connectFailures.add(error);
      throw error;
    }
  }

  /** Closes a new connection whose first statement fails: knex drops it, but leaves it open. */
  override async checkVersion(connection: Connection): Promise<string> {
    try {
      return await super.checkVersion(connection);
    } catch (error) {
      void connection.end();
      throw error;
    }
  }

  /** Waits only a moment for the server to close: an open socket keeps the process alive. */
  override async destroyRawConnection(connection: Connection): Promise<void> {
    const timer = setTimeout(() => connection.connection.stream.destroy(), closeTimeoutMs);
    try {
      await super.destroyRawConnection(connection);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Why connections could not be opened. */
const connectFailures = new WeakSet<Error>();

/**
 * Whether this error kept a connection from being opened: besides an unreachable server, for example a changed password,
 * an expired certificate or a database that is being restored.
 */
export function isConnectFailure(error: unknown): boolean {
  return error instanceof Error && connectFailures.has(error);
}

function isReadOnly(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '25006';
}

/** pg gives this error no code. */
function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.endsWith('Query read timeout');
}
