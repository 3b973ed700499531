import path from 'node:path';
import { findPictures } from './find-pictures.js';

/** Of the files that are left out. */
const maxShown = 5;

/**
 * Lists what a run is about, and warns of what it leaves out.
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
  const pictures: string[] = [];
  const leftOut: string[] = [];
  let missing = 0;
  const onLeftOut = (file: string) => void leftOut.push(file);
  const onMissing = (name: string, why: string) => {
    missing += 1;
    warn(`${name}: ${why}`);
  };
  for await (const file of findPictures(wanted, { onLeftOut, onMissing, signal })) pictures.push(file);
  if (leftOut.length > 0) warn(leftOutText(leftOut));
  if (pictures.length === 0) throw new Error(`no picture was found in ${wanted.join(', ')}`);
  /** The photos of each folder, if they are read as one. */
  const folders = new Map<string, string[]>();
  for (const file of isFused ? pictures : []) {
    const photos = folders.get(path.dirname(file));
    if (photos) photos.push(file);
    else folders.set(path.dirname(file), [file]);
  }
  return {
    /** What there is to analyse: files, or folders. */
    all: isFused ? [...folders.keys()] : pictures,
    /** Files or folders that are named, and not there or not readable. */
    missing,
    /** What stands for several photos, if they are read as one. */
    photosOf: (folder: string) => folders.get(folder),
  };
}

function leftOutText(all: readonly string[]): string {
  const files = all.length === 1 ? '1 file' : `${all.length} files`;
  const names = [...all.slice(0, maxShown), ...(all.length > maxShown ? ['…'] : [])].join(', ');
  return `skipped ${files} without an image extension: ${names}; name a file on the command line to send it anyway`;
}
