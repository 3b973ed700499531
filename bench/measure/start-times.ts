import path from 'node:path';
import { startLauncher } from '../systems/service.js';
import { median } from './statistics.js';

/**
 * Milliseconds from the start of the one-command form to its `ready` line: the first start on a new
 * data folder, which also makes the demo company and key, and the median of the starts after it.
 */
export async function measureStarts(
  folder: string,
  workers: number,
  starts: number,
): Promise<{ first: number; later: number }> {
  const dataDir = path.join(folder, 'starts');
  const times: number[] = [];
  for (let at = 0; at <= starts; at += 1) {
    const startedAt = performance.now();
    const stop = await startLauncher(dataDir, workers);
    times.push(performance.now() - startedAt);
    await stop();
  }
  const [first = NaN, ...later] = times;
  return { first, later: median(later) };
}
