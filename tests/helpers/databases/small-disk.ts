import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file system of its own, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all its room but so many blocks. */
  fill(blocksLeft?: number): void;
  /** Gives the room back. */
  empty(): void;
  unmount(): void;
}

/** Mounts a file system of this size, such as `1m`; undefined: only root may mount, and not everywhere. */
export function mountSmallDisk(size: string): SmallDisk | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0755`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  const ballast = path.join(folder, 'ballast');
  return {
    folder,
    fill(blocksLeft = 0) {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail - blocksLeft) * bsize));
      } catch (error) {
        // Someone else took room meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty() {
      rmSync(ballast);
    },
    unmount() {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}
