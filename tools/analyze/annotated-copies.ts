import { access, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../../runtime/settings/read-settings.js';
import { annotate } from '../annotate/annotate.js';
import { features, type Line, type Redacted } from './features.js';

type Warn = (message: string) => void;

/** Where copies go. */
export interface Copies {
  /** The option that says so. */
  readonly option: 'annotate' | 'redact';
  readonly folder: string;
}

/**
 * Makes sure that no copy can replace a picture, or be analysed itself in a later run.
 * @param wanted the files and folders that are analysed
 * @throws ConfigError if the folder is in one that is analysed or contains what is analysed
 */
export async function assertApart({ option, folder }: Copies, wanted: readonly string[]): Promise<void> {
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

function isIn(one: string, folder: string): boolean {
  return `${one}${path.sep}`.startsWith(path.join(folder, path.sep));
}

/**
 * Writes a copy with boxes and scores to the picture's own path inside the folder. Warns if the picture
 * cannot be drawn on; throws if the copy cannot be written.
 */
export async function writeAnnotated(line: Line, copies: Copies, warn: Warn): Promise<void> {
  const { annotate: annotationsOf } = features[line.feature];
  if (annotationsOf === undefined) return;
  let copy: Buffer;
  try {
    copy = await annotate(await readFile(line.file), annotationsOf(line));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return warn(`${line.file} has no annotated copy: ${why}`);
  }
  await write(copyOf(line.file, copies), copy);
}

/** Writes what the service made of a picture to the picture's own path inside the folder, with its new type behind. */
export async function writeRedacted(file: string, { image, contentType }: Redacted, copies: Copies): Promise<void> {
  const extension = contentType.replace('image/', '').replace('jpeg', 'jpg');
  await write(copyOf(file, copies, extension), image);
}

async function write(target: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, bytes);
}

/**
 * Writes the copies that an earlier run did not make, for pictures that still exist.
 * @throws `signal.reason` once aborted
 */
export async function writeMissing(
  lines: AsyncIterable<Line>,
  copies: Copies,
  warn: Warn,
  signal: AbortSignal,
): Promise<void> {
  for await (const line of lines) {
    signal.throwIfAborted();
    if (line.error === undefined && !(await exists(copyOf(line.file, copies))) && (await exists(line.file)))
      await writeAnnotated(line, copies, warn);
  }
}

/**
 * Inside the folder, a picture keeps its path from here, or from the root if it lies elsewhere: `/photos/a.jpg` becomes
 * `photos/a.jpg.jpg`.
 */
export function copyOf(file: string, { folder }: Pick<Copies, 'folder'>, extension = 'jpg'): string {
  const fromHere = path.relative('', file);
  const isElsewhere = fromHere === '..' || fromHere.startsWith(`..${path.sep}`);
  return path.join(folder, `${isElsewhere ? path.resolve(file) : fromHere}.${extension}`);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
