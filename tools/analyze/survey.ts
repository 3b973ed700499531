import path from 'node:path';
import { findPictures } from './find-pictures.js';

/** Of the files that are left out. */
const maxShown = 5;

/**
 * Counts what a run is about, and warns of what it leaves out.
 *
 * @param isFused whether the photos of each folder are read as one
 * @throws Error if there is nothing; `signal.reason` once aborted
 */
export async function survey(
  wanted: readonly string[],
  isFused: boolean,
  warn: (message: string) => void,
  signal: AbortSignal,
) {
  /** The photos of each folder. */
  const folders = new Map<string, string[]>();
  const leftOut: string[] = [];
  let [pictures, missing, leftOutCount] = [0, 0, 0];
  const onLeftOut = (file: string) => {
    leftOutCount += 1;
    if (leftOutCount <= maxShown) leftOut.push(file);
  };
  const onMissing = (name: string, why: string) => {
    missing += 1;
    warn(`${name}: ${why}`);
  };
  for await (const file of findPictures(wanted, { onLeftOut, onMissing, signal })) {
    pictures += 1;
    if (!isFused) continue;
    const folder = path.dirname(file);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  if (leftOutCount > 0) warn(leftOutText(leftOutCount, leftOut));
  if (pictures === 0) throw new Error(`no picture was found in ${wanted.join(', ')}`);
  return {
    total: isFused ? folders.size : pictures,
    /** Files or folders that are named, and not there or not readable. */
    missing,
    /** What stands for several photos, if they are read as one. */
    photosOf: (folder: string) => folders.get(folder),
    /** What there is to analyse, one by one: files, or folders. */
    all: (): AsyncIterable<string> | Iterable<string> => (isFused ? folders.keys() : findPictures(wanted, { signal })),
  };
}

function leftOutText(count: number, shown: readonly string[]): string {
  const files = count === 1 ? '1 file' : `${count} files`;
  const names = [...shown, ...(count > shown.length ? ['…'] : [])].join(', ');
  return `skipped ${files} without an image extension: ${names}; name a file on the command line to send it anyway`;
}
