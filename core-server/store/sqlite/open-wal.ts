import { openSync, readSync } from 'node:fs';
import { identify, isStill } from './file-identity.js';

/** What SQLite has beside a file in WAL mode: the log, and the memory that all connections share. */
export interface Wal {
  /** Whether both are still the files that were opened. */
  isInPlace(): boolean;
  /**
   * A text that differs after each commit, by any process: the header of the shared memory
   * (https://www.sqlite.org/walformat.html), with a change counter, the length of the log and its checksums. SQLite
   * compares the same bytes to learn whether its cached pages are still valid. Undefined if there is no such header.
   *
   * Reading it takes microseconds; a query goes to another thread and back, which costs a millisecond on a CPU core
   * whose caches are full of pictures.
   */
  readVersion(): string | undefined;
}

/** Two copies of the header, 48 bytes each: `struct WalIndexHdr` in SQLite's wal.c. */
const headerBytes = 96;
/** In the byte order of the host, like all of the file. */
const format = new Uint8Array(Uint32Array.of(3_007_000).buffer);

/** The log and the shared memory of a SQLite file that this process has open; undefined if it has none. */
export function openWal(databaseFile: string): Wal | undefined {
  const names = [`${databaseFile}-wal`, `${databaseFile}-shm`] as const;
  const identities = names.map(identify);
  const file = openForEver(names[1]);
  if (file === undefined) return undefined;
  return {
    isInPlace: () => names.every((name, index) => isStill(identities[index], name)),
    readVersion() {
      const header = Buffer.allocUnsafe(headerBytes);
      try {
        if (readSync(file, header, 0, headerBytes, 0) !== headerBytes) return undefined;
      } catch {
        return undefined;
      }
      return header.compare(format, 0, 4, 0, 4) === 0 ? header.toString('latin1') : undefined;
    },
  };
}

/**
 * Never closes the file: that would end all locks which this process has on it (fcntl(2)), including SQLite's own.
 * Without them, other processes write at the same time and clear the shared memory.
 */
function openForEver(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}
