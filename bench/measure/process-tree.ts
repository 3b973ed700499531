import { readdirSync, readFileSync } from 'node:fs';

// Linux only; elsewhere these figures are left out.

/** Ticks of the processor time in /proc; 100 a second on every Linux that Node.js supports. */
const ticksPerSecond = 100;
const kiB = 1024;

/** Processor time and memory of a process with all that it started. */
interface Usage {
  readonly cpuSeconds: number;
  /** Resident now. */
  readonly residentBytes: number;
  /** The most that was ever resident, summed over the processes. */
  readonly peakBytes: number;
}

/** What the processes and their descendants use; undefined where there is no /proc. */
export function usageOf(roots: readonly number[]): Usage | undefined {
  try {
    const usages = withDescendants(roots).map(usageOfOne);
    const sum = (pick: (usage: Usage) => number): number => usages.reduce((total, usage) => total + pick(usage), 0);
    return {
      cpuSeconds: sum((usage) => usage.cpuSeconds),
      residentBytes: sum((usage) => usage.residentBytes),
      peakBytes: sum((usage) => usage.peakBytes),
    };
  } catch {
    return undefined;
  }
}

function withDescendants(roots: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) parents.set(Number(name), Number(stat[1]));
  }
  const found = new Set(roots);
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

function usageOfOne(pid: number): Usage {
  const stat = statOf(pid);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * kiB;
  return {
    cpuSeconds: (Number(stat?.[11]) + Number(stat?.[12])) / ticksPerSecond,
    residentBytes: bytes('VmRSS'),
    peakBytes: bytes('VmHWM'),
  };
}

/** The fields of /proc/PID/stat from the third (state) on; the second may hold blanks. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // ended meanwhile
  }
}
