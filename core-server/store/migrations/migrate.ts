import type { Knex } from 'knex';
import { ConfigError } from '../../../runtime/errors/config-error.js';
import { isPostgres } from '../postgres/open-postgres.js';
import { createApiKeysAndCompanies } from './0001-create-api-keys-and-companies.js';

/** One step of the schema. A published step is never edited; a change is a new step. */
interface Migration {
  readonly name: string;
  up(db: Knex): Promise<void>;
}

/** All migrations, oldest first. */
const migrations: readonly Migration[] = [createApiKeysAndCompanies];

// Imported modules instead of a folder scan, so that it works from a build folder and from a bundle.
const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: () => Promise.resolve([...migrations]),
  getMigrationName: (migration) => migration.name,
  getMigration: (migration) => Promise.resolve({ up: (db) => migration.up(db), down: noWayBack }),
};

/** knex asks for it, and nothing calls it: a backup is restored instead. */
const noWayBack = () => Promise.reject(new Error('migrations cannot be undone'));

const migrationsTable = 'knex_migrations';

/**
 * Runs the migrations that the database lacks; a database that is up to date may be read-only.
 * Replicas that start at once do so one after the other. All happens in one transaction, so that a
 * process killed half-way leaves no half schema and no lock behind (knex's own lock row would stay).
 *
 * @throws ConfigError if a newer version wrote the database
 */
export async function migrateDatabase(db: Knex): Promise<void> {
  if (await isCurrent(db)) return;
  let firstError: Error | undefined;
  try {
    await db.transaction(async (transaction) => {
      // Later errors mislead: knex reports a missing lock, and SQLite, which has already rolled back when the
      // disk is full, reports nothing to roll back.
      transaction.on('query-error', (error: Error) => (firstError ??= error));
      await takeStartLock(transaction);
      if (await isCurrent(transaction)) return; // another replica was first
      await transaction.migrate.latest({ migrationSource });
    });
  } catch (error) {
    throw firstError ?? error;
  }
}

/** @throws ConfigError if a newer version has migrated the database; knex would report a corrupt migration directory. */
async function isCurrent(db: Knex): Promise<boolean> {
  const done = (await hasMigrations(db)) ? await db(migrationsTable).pluck<string[]>('name') : [];
  const known = migrations.map(({ name }) => name);
  const unknown = done.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new ConfigError(
      `the database was written by a newer version (migration ${unknown.join(', ')}); run that version or restore a backup`,
    );
  return known.every((name) => done.includes(name));
}

/** Whether the database was ever migrated. */
export async function hasMigrations(db: Knex): Promise<boolean> {
  if (!isPostgres(db)) return db.schema.hasTable(migrationsTable);
  // knex sees only what our role may read, and takes any other table for one that is missing.
  const tables = db('pg_tables').whereRaw('schemaname = current_schema()');
  return (await tables.where({ tablename: migrationsTable })).length > 0;
}

/** Any number that other users of the same PostgreSQL server are unlikely to choose. */
const advisoryLockId = 7_302_114_521;
/** "IMGA" */
const sqliteApplicationId = 0x494d4741;

/** Marks a SQLite file as ours in its header, also if it is already. */
export const markSqliteFile = (db: Knex): Knex.Raw => db.raw(`PRAGMA application_id = ${sqliteApplicationId}`);

/**
 * Makes processes that start on one store take turns: begins a transaction that one of them has at a time. The others
 * wait for as long as a statement may take.
 */
export async function takeStartLock(transaction: Knex.Transaction): Promise<void> {
  if (isPostgres(transaction)) await transaction.raw('SELECT pg_advisory_xact_lock(?)', [advisoryLockId]);
  // The first statement has to be a write: a SQLite transaction that starts by reading cannot wait for its
  // turn to write, but fails at once.
  else await markSqliteFile(transaction);
}
