import type { System } from '../systems/system.js';
import { usageOf } from './process-tree.js';

/** Long enough that what is collected and what stays have balanced. */
const windowMs = 3_000;

/**
 * Resident bytes of a system that has answered every set, 8 at a time. Every plan measures this before its
 * rounds: those of the whole matrix send 64 photos at a time, and what such a queue leaves behind is another
 * figure than the memory of a core whose models are all loaded.
 */
export async function measureResident(system: System): Promise<number | undefined> {
  for (const set of system.sets) {
    await system.run({ set, concurrency: 8, windowMs, minRequests: 8 });
  }
  return usageOf(system.pids)?.residentBytes;
}
