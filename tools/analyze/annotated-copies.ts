import { access, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../runtime/settings/read-settings.js';
import { annotate } from '../annotate/annotate.js';
import type { Line } from './answer.js';
import { features } from './features.js';

type Warn = (message: string) => void;

/**
 * Makes sure that no copy can replace a picture, or be analysed itself in a later run.
 * @throws ConfigError if the folder is in one that is analysed, or contains what is analysed
 */
export async function assertApart(folder: string, wanted: readonly string[]): Promise<void> {
  const real = await realOf(folder);
  for (const one of wanted) {
    const other = await realpath(one);
    if (isIn(real, other) || isIn(other, real))
      throw new ConfigError(
        `--annotate is "${folder}", which contains or is in "${one}", want another folder`,
      );
  }
}

/** The path without links, also of a folder that does not exist yet. */
async function realOf(folder: string): Promise<string> {
  const full = path.resolve(folder);
  return realpath(full).catch(async () =>
    path.join(await realOf(path.dirname(full)), path.basename(full)),
  );
}

function isIn(one: string, folder: string): boolean {
  return `${one}${path.sep}`.startsWith(path.join(folder, path.sep));
}

/**
 * Writes a copy with boxes and scores to the picture's own path inside the folder. Warns if the picture
 * cannot be drawn on; throws if the copy cannot be written.
 */
export async function writeAnnotated(line: Line, folder: string, warn: Warn): Promise<void> {
  let copy: Buffer;
  try {
    copy = await annotate(await readFile(line.file), features[line.feature].annotate(line));
  } catch (error) {
    return warn(
      `${line.file} has no annotated copy: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const target = copyOf(line.file, folder);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, copy);
}

/**
 * Writes the copies that an earlier run did not make, for pictures that still exist.
 * @throws `signal.reason` once aborted
 */
export async function writeMissing(
  lines: AsyncIterable<Line>,
  folder: string,
  warn: Warn,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of lines) {
    signal.throwIfAborted();
    if ((await exists(line.file)) && !(await exists(copyOf(line.file, folder))))
      await writeAnnotated(line, folder, warn);
  }
}

/** Inside the folder, a picture keeps its path from here, or its full path if it lies elsewhere. */
export function copyOf(file: string, folder: string): string {
  const fromHere = path.relative('', file);
  return path.join(folder, `${fromHere.startsWith('..') ? path.resolve(file) : fromHere}.jpg`);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
