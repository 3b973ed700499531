import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ModelEntry, ModelFiles, PinnedFile } from './manifest.js';

/** The bytes of a model's graphs. @throws Error if a file is missing, or its hash differs from the expected one */
export async function readGraphs(model: ModelFiles, folder: URL): Promise<Uint8Array[]> {
  return Promise.all(model.graphs.map((file) => readPinned(model.name, file, folder)));
}

/** A model's rules, not yet validated. @throws Error if there are none, or their hash differs from the manifest's */
export async function readRules({ name, rules }: ModelEntry, folder: URL): Promise<unknown> {
  if (rules === undefined) throw new Error(`model ${name}: the manifest names no rules`);
  const bytes = await readPinned(name, rules, folder);
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
}

async function readPinned(model: string, { file, sha256: wanted }: PinnedFile, folder: URL): Promise<Uint8Array> {
  const bytes = await readFile(new URL(file, folder)).catch((error: unknown) => {
    throw new Error(`model ${model}: cannot read ${file}`, { cause: error });
  });
  const found = hashOf(bytes);
  if (found === wanted) return bytes;
  throw new Error(
    `model ${model}: ${file} has the sha256 ${found}, the manifest wants ${wanted}; ` +
      'if you changed the file, run `npm run models:register`',
  );
}

/** SHA-256 in lower-case hexadecimal. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
