import type { Knex } from 'knex';
import { markSqliteFile } from './migrate.js';
import { SqliteClient } from './sqlite.js';

/**
 * Finds rows in memory as long as nothing was committed to the store since they were read, so that nobody gets a row
 * that anybody has changed before. Only SQLite tells; from PostgreSQL, and where the store cannot tell, each is read.
 */
export function whileUnchanged<Row>(
  db: Knex,
  find: (key: string) => Promise<Row | undefined>,
): (key: string) => Promise<Row | undefined> {
  const client: unknown = db.client;
  if (!(client instanceof SqliteClient)) return find;
  const rows = new Map<string, Row>();
  let token: string | undefined;

  return async (key) => {
    const current = client.changeToken();
    if (current !== token) rows.clear();
    token = current;
    const known = rows.get(key);
    if (known !== undefined) return known;
    const found = await find(key);
    // Only what exists: made-up keys would fill the memory.
    if (found !== undefined && current !== undefined && current === token) rows.set(key, found);
    return found;
  };
}

/** To be called once before {@link whileUnchanged} keeps anything; commits to the store if it is SQLite. */
export async function learnToTellChanges(db: Knex): Promise<void> {
  const client: unknown = db.client;
  if (!(client instanceof SqliteClient)) return;
  // A store that cannot be written now is read for every request.
  await client.proveChangeToken(() => markSqliteFile(db)).catch(() => undefined);
}
