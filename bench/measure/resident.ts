import { setTimeout as sleep } from 'node:timers/promises';
import type { System } from '../systems/system.js';
import { usageOf } from './process-tree.js';

/** Long enough that what is collected and what stays have balanced. */
const windowMs = 3_000;
const restMs = 60_000;

/**
 * Resident bytes of a system that has answered every set, 8 at a time, and a minute after it had 64 large photos at
 * once. Every plan measures this before its rounds, of which those of the whole matrix end with a queue of photos.
 */
export async function measureResident(system: System) {
  for (const set of system.sets) {
    await system.run({ set, concurrency: 8, windowMs, minRequests: 8 });
  }
  const busy = usageOf(system.pids)?.residentBytes;
  await system.run({ set: '12mp', concurrency: 64, windowMs, minRequests: 64 });
  await sleep(restMs);
  return { busy, rested: usageOf(system.pids)?.residentBytes };
}
