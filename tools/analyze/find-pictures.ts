import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { whyUnreadable } from './run-command.js';

/** Including HEIC and BMP: the service says for each what it wants instead. */
const pictureNames = /\.(jpe?g|png|webp|avif|gif|tiff?|hei[cf]|bmp)$/i;

interface FindOptions {
  /** Called for each file in a folder without an image extension. */
  readonly onLeftOut: (file: string) => void;
  /** Called for each file or folder that is not there or cannot be read. */
  readonly onMissing: (name: string, why: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lists the pictures among files and folders (recursively), each folder in the order of its names. Links
 * count as their targets; a file that is named twice, or a folder to which several paths lead, is listed once, so links may
 * form circles.
 * @throws `signal.reason` once aborted
 */
export async function* findPictures(wanted: readonly string[], options: FindOptions): AsyncGenerator<string> {
  const { onLeftOut, onMissing, signal } = options;
  /** Paths without links of folders, and of files that were named. */
  const listed = new Set<string>();
  for (const one of wanted) {
    signal.throwIfAborted();
    const kind = await stat(one).catch((error: unknown) => onMissing(one, whyUnreadable(error)));
    if (kind?.isFile()) {
      const real = await realpath(one).catch(() => path.resolve(one));
      const isListed = listed.has(real) || (pictureNames.test(real) && listed.has(path.dirname(real)));
      listed.add(real);
      if (!isListed) yield path.normalize(one);
    } else if (kind?.isDirectory())
      for await (const file of walk(one, listed, options))
        if (pictureNames.test(file)) yield file;
        else onLeftOut(file);
    // Such as a pipe, whose reader waits for ever and cannot be stopped.
    else if (kind) onMissing(one, 'it is no file');
  }
}

/** All files below, also behind links, except in folders already listed. */
async function* walk(folder: string, listed: Set<string>, options: FindOptions): AsyncGenerator<string> {
  const { onMissing, signal } = options;
  const leaveOut = (error: unknown): undefined => void onMissing(folder, whyUnreadable(error));
  const real = await realpath(folder).catch(leaveOut);
  if (real === undefined || listed.has(real)) return;
  listed.add(real);
  // Such as the lost+found of a disk.
  const entries = (await readdir(folder, { withFileTypes: true }).catch(leaveOut)) ?? [];
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    signal.throwIfAborted();
    const file = path.join(folder, entry.name);
    if (listed.has(path.join(real, entry.name))) continue;
    // A broken link is reported by whoever reads it.
    const kind = entry.isSymbolicLink() ? await stat(file).catch(() => undefined) : entry;
    if (kind?.isDirectory()) yield* walk(file, listed, options);
    else if (kind?.isFile() !== false) yield file;
  }
}
