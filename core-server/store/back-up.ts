import { rm } from 'node:fs/promises';
import { ConfigError } from '../../runtime/errors/config-error.js';
import type { Database } from './database.js';
import { createPrivateFile } from './sqlite/sqlite-file.js';

/**
 * Copies the SQLite store to a new file that only its owner can read, also while a core is using it.
 *
 * @throws ConfigError if the file exists; Error if it cannot be written
 */
export async function backUp(db: Database, file: string): Promise<void> {
  const failed = (cause: unknown) => new Error(`cannot back up to ${file}: ${(cause as Error).message}`, { cause });
  await createPrivateFile(file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new ConfigError(`${file} exists already: want a new file`) : failed(error);
  });
  try {
    await db.raw('VACUUM INTO ?', [file]);
  } catch (error) {
    await rm(file);
    throw failed(error);
  }
}
