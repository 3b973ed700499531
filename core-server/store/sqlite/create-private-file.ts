import { writeFile } from 'node:fs/promises';

/**
 * Creates an empty file that only its owner can read. SQLite takes it as a new database, and would itself
 * create one with whatever rights the umask leaves; the files it puts beside it get the same rights.
 *
 * @throws Error of the code EEXIST if there is a file already
 */
export async function createPrivateFile(file: string): Promise<void> {
  await writeFile(file, '', { flag: 'wx', mode: 0o600 });
}
