import { createDatabase, type DatabaseOptions } from '../../../core-server/store/database.js';
import { createTemporaryFolder } from '../temporary-folder.js';
import { type PostgresServer, startPostgres } from './postgres.js';

/** What a test needs of its context. */
interface TestContext {
  after(clean: () => Promise<void>): void;
}

/** One of the two databases that a store suite runs on. */
interface TestDialect {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Why the suite cannot run; false: it can. */
  readonly skip: string | false;
  /** Makes room for an empty store of one test. */
  place(t: TestContext): Promise<DatabaseOptions>;
  /** The server, on PostgreSQL. */
  readonly server?: PostgresServer;
  stop(): Promise<void>;
}

/** Both dialects; a PostgreSQL server is started for the second. */
export async function startDialects(): Promise<[TestDialect, TestDialect]> {
  const server = await startPostgres();
  const sqlite: TestDialect = { name: 'SQLite', skip: false, place: placeSqlite, stop: () => Promise.resolve() };
  if ('skip' in server) {
    const place = () => Promise.reject(new Error(server.skip));
    return [sqlite, { ...sqlite, name: 'PostgreSQL', skip: server.skip, place }];
  }
  const place = async () => ({ url: await server.createDatabase(), dataDir: '' });
  return [sqlite, { name: 'PostgreSQL', skip: false, place, server, stop: () => server.close() }];
}

/** An empty folder for a SQLite store, removed after the test. */
export async function placeSqlite(t: TestContext): Promise<DatabaseOptions> {
  const dataDir = await createTemporaryFolder(t);
  return { dataDir };
}

/** Opens a store and closes it after the test. */
export async function openDatabase(t: TestContext, options: DatabaseOptions) {
  const db = await createDatabase(options);
  t.after(() => db.destroy());
  return db;
}
