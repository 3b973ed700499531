import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const groups = '/sys/fs/cgroup';

/**
 * Processors that this process may use at once: the machine's, or fewer if Linux limits the processor time of
 * its container or service (`docker run --cpus`, Kubernetes' `limits.cpu`, systemd's `CPUQuota`, by
 * control groups version 2), which Node.js 20 does not take into account. At least one.
 */
export function countProcessors({ available = availableParallelism(), read = readText } = {}): number {
  const group = /^0::(.+)$/m.exec(read('/proc/self/cgroup'))?.[1] ?? '/';
  let count = available;
  // The quota of a group also limits the groups below it.
  for (let folder = path.join(groups, group); folder.startsWith(groups); folder = path.dirname(folder))
    count = Math.min(count, toQuota(read(path.join(folder, 'cpu.max'))));
  return Math.max(1, Math.floor(count));
}

/** Parses `<microseconds> <period>`; the first is `max` if there is no quota. */
function toQuota(text: string): number {
  const [time, period] = text.split(' ').map(Number);
  return time && period ? time / period : Infinity;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
