import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** Writes a program for Node.js that stands in for a process of the service. @returns its path */
export async function writeProgram(t: TestContext, source: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'launcher-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
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
