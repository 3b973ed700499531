import { Command } from 'commander';
import type { AdminCliDependencies } from './dependencies.js';

/** `first-start`, for the launcher: prints JSON, or nothing if the store is in use already. */
export function createFirstStartCommand({ registerDemo, write }: AdminCliDependencies): Command {
  return new Command('first-start').option('--json').action(async () => {
    const demo = await registerDemo();
    if (demo !== undefined) write(JSON.stringify(demo));
  });
}
