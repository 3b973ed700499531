import { statSync } from 'node:fs';

/** Identifies a file regardless of its name; undefined if it is missing or unreachable. */
export function identify(file: string): string | undefined {
  try {
    // It takes a few microseconds, less than asking another thread.
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Whether a name still leads to the file that was identified. */
export function isStill(identity: string | undefined, file: string): boolean {
  return identity !== undefined && identity === identify(file);
}
