import type { Knex } from 'knex';
import { markSqliteFile } from './migrations/migrate.js';
import { SqliteClient } from './sqlite/sqlite.js';

/**
 * Keeps the rows that it finds in memory until anything is committed to the store, so that nobody gets an outdated one.
 * With PostgreSQL, or if commits to the SQLite file cannot be detected, every call reads the store.
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

/** Lets {@link whileUnchanged} keep rows, if the store is SQLite and a commit to it is noticed. */
export async function detectChanges(db: Knex): Promise<void> {
  const client: unknown = db.client;
  if (!(client instanceof SqliteClient)) return;
  // A store that is read-only now is read for every request.
  await client.proveChangeToken(() => markSqliteFile(db)).catch(() => undefined);
}
