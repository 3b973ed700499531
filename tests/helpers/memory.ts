import { usageOf } from '../../bench/measure/process-tree.js';

/** Process ids by name; undefined: not running now. */
type Pids = () => Readonly<Record<string, number | undefined>>;

/** Follows the resident memory of processes; on systems without /proc it has nothing to tell. */
interface MemoryWatch {
  /** Looks now, for the peak. */
  sample(): void;
  /** Looks now and remembers under a name. */
  mark(name: string): void;
  /** One line a process: every mark and the peak, MiB. */
  lines(): string[];
}

export function createMemoryWatch(pids: Pids): MemoryWatch {
  const peaks = new Map<string, number>();
  const marks = new Map<string, string[]>();

  const look = (name?: string): void => {
    for (const [process, pid] of Object.entries(pids())) {
      const usage = pid === undefined ? undefined : usageOf([pid]);
      if (usage === undefined) continue;
      const mebibytes = Math.round(usage.residentBytes / 2 ** 20);
      peaks.set(process, Math.max(peaks.get(process) ?? 0, mebibytes));
      if (name !== undefined) marks.set(process, [...(marks.get(process) ?? []), `${name} ${mebibytes} MiB`]);
    }
  };
  return {
    sample: () => look(),
    mark: look,
    lines: () =>
      [...marks].map(([process, seen]) => `${process} memory: ${seen.join(', ')}, peak ${peaks.get(process)} MiB`),
  };
}
