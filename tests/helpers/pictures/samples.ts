import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../../', import.meta.url);

/** A picture of the repository's `samples/`: `astronaut.jpg` (one face) or `meter.jpg` (a counter). */
export function readSample(name: 'astronaut.jpg' | 'meter.jpg'): Promise<Buffer> {
  return readFile(new URL(`samples/${name}`, root));
}

/** Folder of the evaluation and training pictures; undefined where they are not. */
export function sharedFolder(): string | undefined {
  const folder = process.env['SHARED_DIR'] ?? fileURLToPath(new URL('../shared', root));
  return existsSync(folder) ? folder : undefined;
}
