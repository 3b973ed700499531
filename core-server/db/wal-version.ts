import { closeSync, openSync, readSync } from 'node:fs';

/** Two copies of the header, 48 bytes each: `struct WalIndexHdr` in SQLite's wal.c. */
const headerBytes = 96;
/** In the byte order of the host, like all of the file. */
const format = new Uint8Array(Uint32Array.of(3_007_000).buffer);

/**
 * A text that differs after each commit to a SQLite file in WAL mode, by any process: the header of the memory that all
 * connections share (https://www.sqlite.org/walformat.html), with a change counter, the length of the log and its
 * checksums. SQLite compares the same bytes to learn whether its cached pages are still valid. Undefined if there is no
 * such header.
 *
 * Reading it takes microseconds; a query goes to another thread and back, which costs a millisecond on a CPU core whose
 * caches are full of pictures.
 */
export function readWalVersion(databaseFile: string): string | undefined {
  const header = Buffer.allocUnsafe(headerBytes);
  try {
    const file = openSync(`${databaseFile}-shm`, 'r');
    try {
      const isWhole = readSync(file, header, 0, headerBytes, 0) === headerBytes;
      if (!isWhole || header.compare(format, 0, 4, 0, 4) !== 0) return undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
  return header.toString('latin1');
}
