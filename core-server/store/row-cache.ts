import type { Knex } from 'knex';
import { markSqliteFile } from './migrations/migrate.js';
import { sqliteFileOf } from './sqlite/sqlite-file.js';

/**
 * Keeps the rows that it finds in memory until anything is committed to the store, so that nobody gets an outdated one.
 * With PostgreSQL, in a transaction, or if commits to the SQLite file cannot be detected, every call reads the store.
 */
export function cacheRows<Row>(
  db: Knex,
  find: (key: string, owner?: string) => Promise<Row | undefined>,
): (key: string, owner?: string) => Promise<Row | undefined> {
  const file = db.isTransaction ? undefined : sqliteFileOf(db);
  if (file === undefined) return find;
  const rows = new Map<string, Row>();
  let token: string | undefined;

  return async (key, owner) => {
    const current = file.changeToken();
    if (current !== token) rows.clear();
    token = current;
    const known = rows.get(key);
    if (known !== undefined) return known;
    const found = await find(key, owner);
    // Only what exists: made-up keys would fill the memory.
    if (found !== undefined && current !== undefined && current === token) rows.set(key, found);
    return found;
  };
}

/** Lets {@link cacheRows} keep rows, if the store is SQLite and a commit to it is noticed. */
export async function detectChanges(db: Knex): Promise<void> {
  const file = sqliteFileOf(db);
  // A store that is read-only now is read for every request.
  await file?.proveChangeToken(() => markSqliteFile(db)).catch(() => undefined);
}
