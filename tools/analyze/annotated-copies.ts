import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { annotate } from '../annotate/annotate.js';
import type { Line } from './answer.js';
import { features } from './features.js';

type Warn = (message: string) => void;

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
  const target = copyOf(line, folder);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, copy);
}

/** Writes the copies that an earlier run did not make, for pictures that still exist. */
export async function writeMissing(
  lines: AsyncIterable<Line>,
  folder: string,
  warn: Warn,
): Promise<void> {
  for await (const line of lines)
    if ((await exists(line.file)) && !(await exists(copyOf(line, folder))))
      await writeAnnotated(line, folder, warn);
}

function copyOf({ file }: Line, folder: string): string {
  return path.join(folder, `${path.relative('/', path.resolve('/', file))}.jpg`);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
