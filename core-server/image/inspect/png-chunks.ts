import type { Cursor } from './cursor.js';

/** Of a chunk, its type as a number. */
export const chunkType = (name: string): number => Buffer.from(name).readUInt32BE();

const IEND = chunkType('IEND');

/** The chunks of a PNG before its end; the last may end beyond the file. PNG, third edition, 5.3. */
export function* pngChunks(
  file: Cursor,
): Generator<{ readonly type: number; readonly at: number; readonly end: number }> {
  // A length, a type, that many bytes and a checksum.
  for (let at = 8; at + 12 <= file.length;) {
    const type = file.uint(at + 4, 4);
    if (type === IEND) return;
    const end = at + 12 + file.uint(at, 4);
    yield { type, at, end };
    at = end;
  }
}
