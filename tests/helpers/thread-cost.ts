import { readFileSync } from 'node:fs';

/**
 * Processor time of a process's main thread so far, milliseconds: what its event loop did, whatever else the machine
 * was doing. Undefined on systems without Linux's scheduler statistics, and when the process is gone.
 */
export function mainThreadMs(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8');
    return Number(text.split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}
