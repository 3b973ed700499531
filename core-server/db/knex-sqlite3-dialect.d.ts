// knex has no types for its dialects.
declare module 'knex/lib/dialects/sqlite3/index.js' {
  import type { Knex } from 'knex';

  const SqliteClient: typeof Knex.Client;
  export default SqliteClient;
}
