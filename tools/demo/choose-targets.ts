import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../runtime/settings/read-settings.js';

/**
 * Where the outputs for each file go, without extension.
 * @throws ConfigError if one would replace an input, or a file that is not from this command
 */
export async function chooseTargets(files: readonly string[], out: string): Promise<string[]> {
  const inputs = new Set(await Promise.all(files.map(identify)));
  const names = outputNames(files);
  for (const name of names) {
    const isKnown = await isAnalysis(path.join(out, `${name}.json`));
    for (const output of [`${name}.jpg`, `${name}.json`]) {
      const existing = await identify(path.join(out, output)).catch(() => undefined);
      if (existing !== undefined && (!isKnown || inputs.has(existing)))
        throw new ConfigError(`--out is "${out}", where ${output} would be replaced, want another folder`);
    }
  }
  return names.map((name) => path.join(out, name));
}

/** The file's own name, numbered if two would be the same. */
function outputNames(files: readonly string[]): string[] {
  const used = new Set<string>();
  return files.map((file) => {
    const name = path.parse(file).name;
    let unique = name;
    for (let number = 2; used.has(unique); number++) unique = `${name}-${number}`;
    used.add(unique);
    return unique;
  });
}

/** The same for all paths to a file. */
async function identify(file: string): Promise<string> {
  const { dev, ino } = await stat(file, { bigint: true });
  return `${dev} ${ino}`;
}

async function isAnalysis(file: string): Promise<boolean> {
  try {
    const { faces, meter } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    return typeof faces === 'object' && typeof meter === 'object';
  } catch {
    return false;
  }
}
