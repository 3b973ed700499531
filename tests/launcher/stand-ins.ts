import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { createTemporaryFolder } from '../helpers/temporary-folder.js';

/** Writes a program for Node.js that stands in for a process of the service. @returns its path */
export async function writeProgram(t: TestContext, source: string): Promise<string> {
  const folder = await createTemporaryFolder(t);
  const file = path.join(folder, 'program.mjs');
  await writeFile(file, source);
  return file;
}

/** Whether a process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
