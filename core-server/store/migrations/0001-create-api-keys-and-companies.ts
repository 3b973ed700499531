import type { Knex } from 'knex';
import { isPostgres } from '../postgres/open-postgres.js';

/** Times are milliseconds since 1970 in UTC: both databases keep them exactly. */
export const createApiKeysAndCompanies = {
  name: '0001-create-api-keys-and-companies',

  async up(db: Knex): Promise<void> {
    await db.schema.createTable('api_keys', (table) => {
      table.text('id').primary();
      table.text('secret_sha256').notNullable().checkLength('=', 64);
      table.text('label').notNullable().checkLength('>=', 1);
      table.text('operations'); // comma-separated; null: every operation
      table.bigInteger('create_time_ms').notNullable();
      table.bigInteger('expire_time_ms');
      table.bigInteger('revoke_time_ms');
      table.check("operations <> ''", {}, 'api_keys_operations_not_empty');
    });
    await db.schema.createTable('companies', (table) => {
      table.text('name').primary();
      table.text('password_hash').notNullable();
      // In the company's row: one statement sets it, and it is deleted with the company.
      table.double('detection_score');
      table.bigInteger('create_time_ms').notNullable();
      table.check(nameRule(db), {}, 'companies_name');
      table.check("password_hash LIKE 'scrypt$%'", {}, 'companies_password_hash');
      table.check('detection_score BETWEEN 0 AND 1', {}, 'companies_detection_score');
    });
  },
};

function nameRule(db: Knex): string {
  const characters = isPostgres(db) ? "name ~ '^[A-Za-z0-9._-]+$'" : "name NOT GLOB '*[^A-Za-z0-9._-]*'";
  return `length(name) BETWEEN 1 AND 64 AND ${characters}`;
}
