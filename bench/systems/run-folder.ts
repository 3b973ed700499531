import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killLeftovers } from './child.js';

/** A temporary folder of this run. When that ends, also if it is broken off, so do the folder and all that was started. */
export function createRunFolder(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), `image-analysis-${name}-`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  process.once('exit', () => {
    killLeftovers();
    // Again where a program that ends still wrote a file.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return folder;
}
