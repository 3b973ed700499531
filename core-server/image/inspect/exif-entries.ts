import type { Cursor } from './cursor.js';

/** libexif reads no more of it. */
const maxBytes = 65_534;

/** How EXIF begins, in either byte order. */
const headers = ['II*\0', 'MM\0*'].map((header) => Buffer.from(header, 'latin1'));

/** Entries that point to a further directory: for EXIF, GPS and interoperability. */
const pointers = new Set([0x8769, 0x8825, 0xa005]);

/** libexif follows no more of them in a row: its `level_cost`, of directories of one entry. Some cameras made rings. */
const maxDepth = 170;

/**
 * Entries that libexif visits in all EXIF of a file, whatever contains it. It visits a directory as often as an entry
 * points to it, which can be the square of their number.
 */
export function countExifEntries(file: Cursor, max: number): number {
  let found = 0;
  for (const header of headers) {
    for (let at = file.find(header, 0); at < file.length && found <= max; at = file.find(header, at + header.length))
      found += 1 + countEntries(file.part(at, at + maxBytes), max);
  }
  return found;
}

function countEntries(exif: Cursor, max: number): number {
  const isLittle = exif.byte(0) === 0x49;
  const read = (at: number, bytes: number): number => (at + bytes > exif.length ? 0 : exif.uint(at, bytes, isLittle));
  const endOf = (directory: number): number => directory + 2 + 12 * read(directory, 2);
  const first = read(4, 4);
  const directories = [
    { at: first, kind: 0, depth: 0 },
    { at: read(endOf(first), 4), kind: 0, depth: 0 },
  ];
  let found = 0;
  for (const { at, kind, depth } of directories) {
    const end = Math.min(endOf(at), exif.length - 11);
    for (let entry = at + 2; entry < end && found <= max; entry += 12) {
      found += 1;
      const tag = read(entry, 2);
      // libexif follows no pointer to the kind of directory in which it stands.
      if (pointers.has(tag) && tag !== kind && depth < maxDepth)
        directories.push({ at: read(entry + 8, 4), kind: tag, depth: depth + 1 });
    }
  }
  return found;
}
