import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../../', import.meta.url);

/** Folder of the evaluation and training pictures, whether or not it is there; no part of the project. */
export const sharedDir = path.resolve(process.env['SHARED_DIR'] ?? fileURLToPath(new URL('../shared', root)));

/** A picture of the repository's `samples/`: `astronaut.jpg` (one face) or `meter.jpg` (a counter). */
export function readSample(name: 'astronaut.jpg' | 'meter.jpg'): Promise<Buffer> {
  return readFile(new URL(`samples/${name}`, root));
}
