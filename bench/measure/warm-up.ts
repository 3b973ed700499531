import type { SetName } from '../pictures.js';
import { describeAnswer } from '../report/found.js';
import type { System } from '../systems/system.js';

/** As many at a time as are measured: a peer has a detector for each thread, which its first request makes. */
const order = { concurrency: 8, windowMs: 500, minRequests: 4 } as const;

/** Has every system answer each set that is measured a few times, and tells what each found. */
export async function warmUp(
  systems: readonly System[],
  setsOf: (system: System) => readonly SetName[],
  say: (line: string) => void,
): Promise<Map<string, Partial<Record<SetName, string>>>> {
  const found = new Map<string, Partial<Record<SetName, string>>>();
  for (const system of systems) {
    const words: Partial<Record<SetName, string>> = {};
    for (const set of setsOf(system)) {
      const { sample, failure } = await system.run({ set, ...order });
      if (failure !== undefined) say(`${system.title} fails on ${set}: ${failure}`);
      if (sample) {
        words[set] = describeAnswer(system.name === 'core' ? 'grpc' : 'json', set, sample);
      }
    }
    found.set(system.name, words);
  }
  return found;
}
