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
 * Makes sure that no copy can replace a picture or another copy, or be analysed itself in a later run.
 * @throws ConfigError if the folder is in one that is analysed or contains what is analysed, or if copies of two that
 *   are analysed would lie in the same place
 */
export async function assertApart({ option, folder, wanted }: Copies): Promise<void> {
  const real = await realOf(folder);
  const taken: { one: string; other: string; place: string }[] = [];
  for (const one of wanted) {
    const other = await realOf(one);
    if (areNested(real, other))
      throw new ConfigError(`--${option} is "${folder}", which contains or is in "${one}", want another folder`);
    const place = path.dirname(copyOf(path.join(one, 'any'), { option, folder, wanted }) ?? '');
    // Where one is in the other, so are the copies.
    const rival = taken.find((before) => areNested(before.place, place) && !areNested(before.other, other));
    if (rival)
      throw new ConfigError(
        `copies of "${rival.one}" and "${one}" would lie in the same place, want one of them in a run`,
      );
    taken.push({ one, other, place });
  }
}

/** The path without links, also of a folder that does not exist yet. */
async function realOf(folder: string): Promise<string> {
  const full = path.resolve(folder);
  return realpath(full).catch(async () => path.join(await realOf(path.dirname(full)), path.basename(full)));
}

const areNested = (one: string, other: string): boolean => isIn(one, other) || isIn(other, one);

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
 * Inside the folder, a picture keeps its path from here, or, if it lies elsewhere, from beside the file or folder that
 * was named: `/photos/2024/a.jpg` becomes `2024/a.jpg.jpg` if `/photos/2024` was. Undefined if neither.
 */
export function copyOf(file: string, { folder, wanted }: Copies, extension = 'jpg'): string | undefined {
  const root = wanted.find((one) => isIn(file, one));
  const from = isIn(file, '') ? '' : root && path.dirname(path.resolve(root));
  return from === undefined ? undefined : path.join(folder, `${path.relative(from, file)}.${extension}`);
}
