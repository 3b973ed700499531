import path from 'node:path';
import { startLauncher } from '../systems/service.js';
import { median } from './statistics.js';

/** Milliseconds from the start of the one-command form to its `ready` line, the median, on a data folder that is there. */
export async function measureStarts(folder: string, workers: number, starts: number): Promise<number> {
  const dataDir = path.join(folder, 'starts');
  const times: number[] = [];
  for (let at = 0; at <= starts; at += 1) {
    const startedAt = performance.now();
    const stop = await startLauncher(dataDir, workers);
    times.push(performance.now() - startedAt);
    await stop();
  }
  // The first start also makes data, company and key.
  return median(times.slice(1));
}
