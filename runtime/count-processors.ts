import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

const groups = '/sys/fs/cgroup';

/**
 * Processors that this process may use at once: those of the machine, or fewer where Linux bounds the processor time
 * of its container or service (`docker run --cpus`, Kubernetes' `limits.cpu`, systemd's `CPUQuota`, by version 2 of
 * control groups), of which Node.js 20 knows nothing. At least one.
 */
export function countProcessors({
  available = availableParallelism(),
  read = readText,
} = {}): number {
  const group = /^0::(.+)$/m.exec(read('/proc/self/cgroup'))?.[1] ?? '/';
  let count = available;
  // The quota of a group bounds those below it.
  for (
    let folder = path.join(groups, group);
    folder.startsWith(groups);
    folder = path.dirname(folder)
  )
    count = Math.min(count, toQuota(read(path.join(folder, 'cpu.max'))));
  return Math.max(1, Math.floor(count));
}

/** Of `<microseconds> <in so many>`; the first is `max` where there is none. */
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
