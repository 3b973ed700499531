import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

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

/** Asks until the answer is neither undefined nor false. @throws Error after the time. */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline)
      throw new Error(`not so after ${timeoutMs} ms: ${String(ask)}`);
    await sleep(20);
  }
}
