import { statSync } from 'node:fs';
import * as driver from '@appthreat/sqlite3';
import KnexSqliteClient from 'knex/lib/dialects/sqlite3/index.js';

/**
 * knex's SQLite dialect over the driver @appthreat/sqlite3: node-sqlite3 with its binaries inside
 * the npm package, so that an install needs neither a compiler nor a download from elsewhere.
 *
 * Where the file is deleted or replaced while it is open, SQLite goes on with what has no name any more, and
 * what it answers is lost with the process: so no connection is handed out until the file is back. The
 * same while nobody can tell, as its folder may not be entered or its file system is away.
 */
export class SqliteClient extends KnexSqliteClient {
  declare readonly connectionSettings: { readonly filename: string };
  /** The first that was opened; what a later connection opens may be another, or new and empty. */
  #file: string | undefined;

  /** What knex calls to load the driver. */
  _driver(): unknown {
    // Its constants are on the default export, which its types leave out.
    return (driver as typeof driver & { readonly default: unknown }).default;
  }

  override async acquireRawConnection(): Promise<unknown> {
    const connection: unknown = await super.acquireRawConnection();
    this.#file ??= identify(this.connectionSettings.filename);
    return connection;
  }

  /** @throws Error of the code SQLITE_READONLY, as SQLite does itself where it looks. */
  override async acquireConnection(): Promise<unknown> {
    const connection: unknown = await super.acquireConnection();
    const { filename } = this.connectionSettings;
    const found = identify(filename);
    if (found !== undefined && found === this.#file) return connection;
    await this.releaseConnection(connection);
    const moved = new Error(`SQLITE_READONLY: ${filename} was moved, deleted or replaced`);
    throw Object.assign(moved, { code: 'SQLITE_READONLY' });
  }
}

/** Tells a file from every other, whatever its name; undefined where there is none, or none can be reached. */
function identify(file: string): string | undefined {
  try {
    // Some microseconds, and less than asking another thread.
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
