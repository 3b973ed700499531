import { readFileSync } from 'node:fs';

/** Linux counts in ticks of 10 ms. */
const tickMs = 10;
const leastMs = 500;

/**
 * Tells how many of the machine's processors others left to this process since it was asked before, half a second ago or
 * longer: other processes, and other machines on the same hardware. NaN where Linux does not say.
 */
export function watchProcessors({ now = () => performance.now(), leftMs = readLeftMs } = {}): () => number {
  let [at, before] = [now(), leftMs()];
  let left = NaN;
  return () => {
    const elapsedMs = now() - at;
    if (elapsedMs < leastMs) return left;
    const after = leftMs();
    left = (after - before) / elapsedMs;
    [at, before] = [at + elapsedMs, after];
    return left;
  };
}

/** What all processors together were idle, and ran this process. */
function readLeftMs(): number {
  const { user, system } = process.cpuUsage();
  return readIdleTicks() * tickMs + (user + system) / 1000;
}

/** proc_stat(5): the fourth and fifth number of all processors, the latter idle while something is read or written. */
function readIdleTicks(): number {
  try {
    const [, , , , idle, waiting] = readFileSync('/proc/stat', 'latin1').split(/\s+/, 6);
    return Number(idle) + Number(waiting);
  } catch {
    return NaN;
  }
}
