import type { Sharp } from 'sharp';
import { tiffWriter } from './tiff.js';

/** A tag and a value. */
type Entry = readonly [tag: number, value: number];

const headBytes = 8;
const entryBytes = 12;
const longType = 4;

/** Where the first directory begins, and how many bytes each takes. */
export const firstDirectory = headBytes;
export const directoryBytes = (entries: number): number => 2 + entryBytes * entries + 4;

/** The bytes of EXIF, of directories that stand one behind the other, the first alone. */
export function composeExif(directories: readonly (readonly Entry[])[]): Buffer {
  const { number, field } = tiffWriter('II*');
  const bodies = directories.flatMap((entries) => [
    number(entries.length, 2),
    ...entries.map(([tag, value]) => field(tag, longType, 1, value)),
    number(0, 4),
  ]);
  return Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), ...bodies]);
}

/** EXIF whose entries all point to the directory in which they stand. */
export const exifRing = (entries: number): Buffer =>
  composeExif([Array<Entry>(entries).fill([0x8769, firstDirectory])]);

/** A picture whose EXIF is replaced, in place. A PNG has a wrong checksum then. */
export async function withExif(picture: Sharp, type: 'jpeg' | 'png' | 'webp' | 'avif', exif: Buffer): Promise<Buffer> {
  const bytes = await picture
    .withExif({ IFD0: { Copyright: 'x'.repeat(exif.length) } })
    .toFormat(type)
    .toBuffer();
  bytes.set(exif, bytes.indexOf('II*\0'));
  return bytes;
}
