import type { Knex } from 'knex';
import { PostgresClient } from './postgres-client.js';

/** Whether this is PostgreSQL; otherwise it is SQLite. */
export function isPostgres(db: Knex): boolean {
  return (db.client as Knex.Client).config.client === PostgresClient;
}
