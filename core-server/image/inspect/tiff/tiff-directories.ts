import type { Cursor } from '../cursor.js';

/** A field of a TIFF's directory. */
interface TiffField {
  /** How many values it says that it has. */
  readonly count: number;
  /** One at least; `unreadable` if its type is none of integers, or its first value not in the file. */
  readonly values: Iterable<number>;
}

/** Finds a field in a directory of a TIFF, which describes one page. */
export type TiffDirectory = (tag: number) => TiffField | undefined;

/** More than any picture has, so that none looks small by a field that only libtiff understands. */
const unreadable = 2 ** 32;

/** libtiff refuses directories of more fields. */
const maxFields = 4_096;

/** Bytes of the types by their numbers (TIFF 6.0, section 2, and the BigTIFF extension). */
const bytesOfType = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
/** With or without a sign. */
const integerTypes = [1, 3, 4, 6, 8, 9, 13, 16, 17, 18];

/**
 * The directories of a TIFF, from each to the next; endless if they form a ring. TIFF 6.0, section 2; in a BigTIFF,
 * counts and offsets are wider.
 */
export function* tiffDirectories(file: Cursor): Generator<TiffDirectory> {
  const isLittle = file.byte(0) === 0x49;
  const isBig = file.byte(isLittle ? 2 : 3) === 43;
  const read = (at: number, bytes: number): number => (at + bytes > file.length ? 0 : file.uint(at, bytes, isLittle));
  function* readValues(from: number, bytes: number, count: number): Generator<number> {
    if (from + bytes > file.length) yield unreadable;
    const behind = Math.min(file.length, from + count * bytes);
    for (let place = from; place + bytes <= behind; place += bytes) yield read(place, bytes);
  }
  const [countBytes, entryBytes, offsetBytes] = isBig ? [8, 20, 8] : [2, 12, 4];

  for (let at = read(offsetBytes, offsetBytes); at > 0 && at < file.length;) {
    const first = at + countBytes;
    const fields = read(at, countBytes);
    const end = first + Math.min(fields, maxFields) * entryBytes;
    // libtiff reads all values, and thousands of fields may share the same megabytes.
    for (let entry = first; entry < end; entry += entryBytes) {
      const bytes = bytesOfType[read(entry + 2, 2)] ?? 0;
      file.step(Math.min(file.length, bytes * read(entry + 4, offsetBytes)));
    }
    yield (tag) => {
      for (let entry = first; entry < end; entry += entryBytes) {
        if (read(entry, 2) !== tag) continue;
        const type = read(entry + 2, 2);
        const bytes = integerTypes.includes(type) ? (bytesOfType[type] ?? 0) : Infinity;
        const count = Math.max(1, read(entry + 4, offsetBytes));
        const values = entry + 4 + offsetBytes;
        const from = count * bytes <= offsetBytes ? values : read(values, offsetBytes);
        return { count, values: readValues(from, bytes, count) };
      }
      return undefined;
    };
    at = read(first + fields * entryBytes, offsetBytes);
  }
}
