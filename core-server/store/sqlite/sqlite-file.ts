import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { openWalIndex, type ReadWalVersion } from '../driver-patches/wal-index.js';

export const sqliteFileName = 'image-analysis.sqlite3';

/**
 * Creates an empty file that only its owner can read. SQLite takes it as a new database, and would itself
 * create one with whatever rights the umask leaves; the files it puts beside it get the same rights.
 *
 * @throws Error of the code EEXIST if there is a file already
 */
export async function createPrivateFile(file: string): Promise<void> {
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
}

/** Identifies a file regardless of its name; undefined if it is missing or unreachable. */
function identify(file: string): string | undefined {
  try {
    // It takes a few microseconds, less than asking another thread.
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** The files of these names; tells later whether the names still lead to them. */
function watch(...names: readonly string[]): () => boolean {
  const identities = names.map(identify);
  return () =>
    names.every((name, index) => {
      const identity = identities[index];
      return identity !== undefined && identity === identify(name);
    });
}

/**
 * The SQLite file of a store that this process has open.
 *
 * If the file is deleted or replaced, SQLite continues with a file that has no name any more, and everything written is
 * lost with the process. So the store is not asked, and what it answered does not count, until the file is back, or
 * while it cannot be checked: its folder is not accessible, or its file system is not mounted. The same holds for the
 * files beside it, without which processes do not see what others commit.
 */
export class SqliteFile {
  /** Whether its name leads to what the first connection opened: a later one may open another, or a new and empty one. */
  #isFileInPlace: (() => boolean) | undefined;
  /** The files beside it, where they tell commits; those of another connection may be others. */
  #wal: { readonly isInPlace: () => boolean; readonly readVersion: ReadWalVersion | undefined } | undefined;

  /** @param name its path */
  constructor(readonly name: string) {}

  noteOpened(): void {
    this.#isFileInPlace ??= watch(this.name);
    this.#wal = undefined;
  }

  /** @throws Error of the code SQLITE_READONLY, as SQLite does where it checks. */
  assertInPlace(): void {
    if (this.#isInPlace()) return;
    const moved = `SQLITE_READONLY: ${this.name}, its -wal or its -shm was moved, deleted or replaced`;
    throw Object.assign(new Error(moved), { code: 'SQLITE_READONLY' });
  }

  /** Differs after each commit by any process; undefined if commits cannot be detected. */
  changeToken(): string | undefined {
    return this.#isInPlace() ? this.#wal?.readVersion?.() : undefined;
  }

  /**
   * Enables `changeToken` if it notices this commit: on some file systems, a read may not see what others have written
   * to shared memory.
   *
   * @param commit changes the store
   */
  async proveChangeToken(commit: () => Promise<unknown>): Promise<void> {
    const isInPlace = watch(`${this.name}-wal`, `${this.name}-shm`);
    const readVersion = openWalIndex(`${this.name}-shm`);
    const before = readVersion?.();
    await commit();
    if (before !== undefined && before !== readVersion?.()) this.#wal = { isInPlace, readVersion };
  }

  #isInPlace(): boolean {
    // Before the first connection there is nothing to compare.
    return this.#isFileInPlace?.() !== false && this.#wal?.isInPlace() !== false;
  }
}

/** The file of a store, also of one in a transaction; undefined if it is in PostgreSQL. */
export const sqliteFileOf = ({ userParams }: Knex): SqliteFile | undefined =>
  (userParams as { readonly file?: SqliteFile }).file;
