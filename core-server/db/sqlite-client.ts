import * as driver from '@appthreat/sqlite3';
import KnexSqliteClient from 'knex/lib/dialects/sqlite3/index.js';

/**
 * knex's SQLite dialect over the driver @appthreat/sqlite3: node-sqlite3 with its binaries inside
 * the npm package, so that an install needs neither a compiler nor a download from elsewhere.
 */
export class SqliteClient extends KnexSqliteClient {
  /** What knex calls to load the driver. */
  _driver(): unknown {
    // Its constants are on the default export, which its types leave out.
    return (driver as typeof driver & { readonly default: unknown }).default;
  }
}
