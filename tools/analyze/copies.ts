import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../runtime/errors/config-error.js';
import { annotate } from '../annotate/annotate.js';
import { features, type Line, type Redacted } from './features.js';

type Warn = (message: string) => void;

/** Where copies go. */
interface Copies {
  /** The option that says so. */
  readonly option: 'annotate' | 'redact';
  readonly folder: string;
  readonly wanted: readonly string[];
}

/**
 * Makes sure that no copy replaces a picture, or is analysed itself in a later run.
 * @throws ConfigError if the folder is in one that is analysed or contains what is analysed
 */
export async function assertApart({ option, folder, wanted }: Copies): Promise<void> {
  const real = await realOf(folder);
  for (const one of wanted) {
    const other = await realOf(one);
    if (isIn(real, other) || isIn(other, real))
      throw new ConfigError(`--${option} is "${folder}", which contains or is in "${one}", want another folder`);
  }
}

/** The path without links, also of a folder that does not exist yet. */
async function realOf(folder: string): Promise<string> {
  const full = path.resolve(folder);
  return realpath(full).catch(async () => path.join(await realOf(path.dirname(full)), path.basename(full)));
}

/** Whether it is the folder or below it; both may be relative. */
function isIn(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`);
}

/**
 * Writes a copy with boxes and scores to the picture's own path inside the folder. Warns if the picture cannot be
 * drawn on, or its name is too long for a copy; throws if the copy cannot be written otherwise.
 */
export async function writeAnnotated(line: Line, copies: Copies, warn: Warn): Promise<void> {
  const target = copyOf(line.file, copies);
  const { annotate: annotationsOf } = features[line.feature];
  if (target === undefined || annotationsOf === undefined) return;
  const tellWhy = (why: string) => warn(`${line.file} has no annotated copy: ${why}`);
  let copy: Buffer;
  try {
    copy = await annotate(await readFile(line.file), annotationsOf(line));
  } catch (error) {
    return tellWhy(error instanceof Error ? error.message : String(error));
  }
  if (!(await write(target, copy))) tellWhy(nameTooLong);
}

/**
 * Writes what the service made of a picture to the picture's own path inside the folder, with its new type behind.
 * @returns the picture's line; if its name is too long for a copy, with that error in place of the result
 */
export async function writeRedacted(line: Line, { image, contentType }: Redacted, copies: Copies): Promise<Line> {
  const { file, feature } = line;
  const extension = contentType.replace('image/', '').replace('jpeg', 'jpg');
  const target = copyOf(file, copies, extension);
  if (target === undefined || (await write(target, image))) return line;
  return { file, feature, error: { code: 'UNKNOWN', reason: 'UNWRITABLE', message: nameTooLong } };
}

/** Whether a picture has a redacted copy, of whatever type. */
export function hasRedacted(file: string, copies: Copies): boolean {
  return ['jpg', 'png', 'webp'].some((extension) => existsSync(copyOf(file, copies, extension) ?? ''));
}

const nameTooLong = 'the name of its copy is too long for this disk, want a shorter file name';

/** @returns false if the disk takes no name of that length: it lies in the picture, and others may have a copy */
async function write(target: string, bytes: Uint8Array): Promise<boolean> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') return false;
    throw error;
  }
}

/** Writes the copies that an earlier run did not, of pictures that still exist. @throws `signal.reason` once aborted */
export async function writeMissing(
  lines: AsyncIterable<Line>,
  copies: Copies,
  warn: Warn,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of lines) {
    signal.throwIfAborted();
    const target = copyOf(line.file, copies);
    if (line.error === undefined && target && !existsSync(target) && existsSync(line.file))
      await writeAnnotated(line, copies, warn);
  }
}

/**
 * Inside the folder, a picture keeps its path from here or, if something that was named lies elsewhere, from the nearest
 * folder that holds here and all that was named: so no two have the same. Undefined if it lies elsewhere still.
 */
export function copyOf(file: string, { folder, wanted }: Copies, extension = 'jpg'): string | undefined {
  let base = path.resolve();
  while (!wanted.every((one) => isIn(one, base))) base = path.dirname(base);
  return isIn(file, base) ? path.join(folder, `${path.relative(base, file)}.${extension}`) : undefined;
}
