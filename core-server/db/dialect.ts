import type { Knex } from 'knex';

/** Whether this is PostgreSQL; otherwise it is SQLite. */
export function isPostgres(db: Knex): boolean {
  return (db.client as Knex.Client).config.client === 'pg';
}
