import { readFileSync } from 'node:fs';

/** Field of the first line of /proc/stat, after its name: what a hypervisor gave to other machines. */
const steal = 7;

/**
 * Does the work, and tells which share of all processors' time a hypervisor gave to other machines meanwhile; 0
 * where that is not known.
 */
export async function withStolenShare<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly stolen: number }> {
  const before = readTicks();
  const result = await work();
  const spent = readTicks().map((ticks, at) => ticks - (before[at] ?? 0));
  const all = spent.reduce((sum, ticks) => sum + ticks, 0);
  return { result, stolen: all > 0 ? (spent[steal] ?? 0) / all : 0 };
}

/** Of all processors; those of guests are in others already. Empty where there is no /proc. */
function readTicks(): number[] {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    return line
      .split(/\s+/)
      .slice(1, steal + 2)
      .map(Number);
  } catch {
    return [];
  }
}
