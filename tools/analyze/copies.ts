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

/** Writes a copy with boxes and scores to the picture's own path inside the folder, or warns of why there is none. */
export async function writeAnnotated(line: Line, copies: Copies, warn: Warn): Promise<void> {
  const target = copyOf(line.file, copies);
  const { annotate: annotationsOf } = features[line.feature];
  if (target === undefined || annotationsOf === undefined) return;
  try {
    await write(target, await annotate(await readFile(line.file), annotationsOf(line)));
  } catch (error) {
    warn(`${line.file} has no annotated copy: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes what the service made of a picture to the picture's own path inside the folder, with its new type behind. */
export async function writeRedacted(file: string, { image, contentType }: Redacted, copies: Copies): Promise<void> {
  const target = copyOf(file, copies, contentType.replace('image/', '').replace('jpeg', 'jpg'));
  if (target !== undefined) await write(target, image);
}

/** Whether a picture has a redacted copy, of whatever type. */
export function hasRedacted(file: string, copies: Copies): boolean {
  return ['jpg', 'png', 'webp'].some((extension) => existsSync(copyOf(file, copies, extension) ?? ''));
}

async function write(target: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, bytes);
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
