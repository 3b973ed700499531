import { readFile, writeFile } from 'node:fs/promises';
import { loadManifest, type Manifest } from './manifest.js';
import { hashOf } from './model-files.js';

/**
 * Writes the hashes of the current files to the manifest, after training. A model whose files changed gets a new
 * version: the date and the start of the hash of the last changed file. Downloaded files keep their pinned hash.
 * Returns the names of the changed models.
 */
export async function registerModels(manifestFile: URL, today: string): Promise<string[]> {
  const manifest: Manifest = await loadManifest(manifestFile);
  const changed: string[] = [];
  for (const model of manifest.models) {
    let hash: string | undefined;
    const own = model.graphs.filter(({ url }) => url === undefined);
    for (const file of model.rules ? [...own, model.rules] : own) {
      const found = hashOf(await readFile(new URL(file.file, manifestFile)));
      if (found === file.sha256) continue;
      file.sha256 = hash = found;
    }
    if (hash === undefined) continue;
    model.version = `${today}-${hash.slice(0, 8)}`;
    changed.push(model.name);
  }
  if (changed.length > 0) await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return changed;
}
