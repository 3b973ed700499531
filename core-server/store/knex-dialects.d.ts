// knex has no types for its dialects.
declare module 'knex/lib/dialects/sqlite3/index.js' {
  import type { Knex } from 'knex';

  const SqliteClient: typeof Knex.Client;
  export default SqliteClient;
}

declare module 'knex/lib/dialects/postgres/index.js' {
  import type { Knex } from 'knex';
  import type { Client } from 'pg';

  class PostgresClient extends Knex.Client {
    _query(connection: Client, query: unknown): Promise<unknown>;
    acquireRawConnection(): Promise<unknown>;
    checkVersion(connection: Client): Promise<string>;
    destroyRawConnection(connection: Client): Promise<void>;
  }
  export default PostgresClient;
}
