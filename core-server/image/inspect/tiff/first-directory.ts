import type { Cursor } from '../cursor.js';

/** A field of a TIFF's directory. */
interface TiffField {
  /** How many values it says that it has. */
  readonly count: number;
  /** One at least; `unreadable` if its type is none of integers, or its first value not in the file. */
  readonly values: () => Iterable<number>;
}

/** The fields of a directory of a TIFF, which describes one page, by their tags; the first of each. */
export type TiffDirectory = ReadonlyMap<number, TiffField>;

/** More than any picture has, so that none looks small by a field that only libtiff understands. */
const unreadable = 2 ** 32;

/** libtiff refuses directories of more fields. */
const maxFields = 4_096;

/** Bytes of the types by their numbers (TIFF 6.0, section 2, and the BigTIFF extension). */
const bytesOfType = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
/** With or without a sign. */
const integerTypes = [1, 3, 4, 6, 8, 9, 13, 16, 17, 18];

/** Where the first directory has its fields and the offset of the next. TIFF 6.0, section 2; in a BigTIFF, both are wider. */
export function layoutOf(file: Cursor) {
  const isLittle = file.byte(0) === 0x49;
  const isBig = file.byte(isLittle ? 2 : 3) === 43;
  const read = (at: number, bytes: number): number => (at + bytes > file.length ? 0 : file.uint(at, bytes, isLittle));
  const [countBytes, entryBytes, offsetBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const at = read(offsetBytes, offsetBytes);
  const first = at + countBytes;
  const fields = read(at, countBytes);
  return { read, at, first, fields, entryBytes, offsetBytes, next: first + fields * entryBytes };
}

/** The directory of the first page, if there is one: of the others, libtiff sees nothing (`withoutFurtherPages`). */
export function firstDirectory(file: Cursor): TiffDirectory | undefined {
  const { read, at, first, fields, entryBytes, offsetBytes } = layoutOf(file);
  if (at === 0 || at >= file.length) return undefined;
  function* readValues(from: number, bytes: number, count: number): Generator<number> {
    if (from + bytes > file.length) yield unreadable;
    const behind = Math.min(file.length, from + count * bytes);
    for (let place = from; place + bytes <= behind; place += bytes) yield read(place, bytes);
  }
  const directory = new Map<number, TiffField>();
  const end = first + Math.min(fields, maxFields) * entryBytes;
  for (let entry = first; entry < end; entry += entryBytes) {
    const [tag, type] = [read(entry, 2), read(entry + 2, 2)];
    const count = Math.max(1, read(entry + 4, offsetBytes));
    // libtiff reads all values, and thousands of fields may share the same megabytes.
    file.step(Math.min(file.length, count * (bytesOfType[type] ?? 0)));
    if (directory.has(tag)) continue;
    const bytes = integerTypes.includes(type) ? (bytesOfType[type] ?? 0) : Infinity;
    const values = entry + 4 + offsetBytes;
    const from = count * bytes <= offsetBytes ? values : read(values, offsetBytes);
    directory.set(tag, { count, values: () => readValues(from, bytes, count) });
  }
  return directory;
}
