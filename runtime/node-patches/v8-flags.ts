import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// bench/TRIED.md has the figures. All of it is for processes that answer small requests with large buffers, which lie
// outside V8's heap; V8 is made for the opposite. Cost: flags may vanish with any version, which a test would tell.

/**
 * How Node.js runs core and facade; the image and the scripts of package.json say the same.
 *
 * - One thread collects garbage: helper threads, meant for large heaps, compete with the workers. 12-megapixel photos
 *   took the core 82 ms instead of 95. Marking stays incremental: in one go, everything would stand still meanwhile.
 * - V8 collects nothing when idle, up to three times within seconds, since it then also forgets the code compiled for
 *   a request's objects: ten seconds after a burst, a portrait took the facade 2.6 ms of processor time instead of 3.2.
 *   What large pictures leave is collected by `process/give-back-memory.ts`.
 *
 * Delete the first when V8 has fewer helpers for small heaps, the second when it keeps that code.
 */
export const nodeOptions = ['--enable-source-maps', '--single-threaded-gc', '--no-memory-reducer'] as const;

/**
 * A flag that V8 reads at run time, so that it need not be on every command line: full collections are rarer. Buffers
 * count towards the size that starts one. In the facade 5 instead of 25 in 3,100 portraits, and 0.13 ms for all
 * collections of one instead of 0.36; a photo of 12 megapixels took it 12 ms instead of 22. For 70 MB more. Delete when
 * buffers no longer count.
 */
export function collectRarely(): void {
  setFlagsFromString('--heap-growing-percent=400');
}

/** By V8 version: Node.js 20 counts bytecode, 22 counts calls. Later ones have Maglev, with which it gained nothing. */
const earlierFlags: Readonly<Record<number, string>> = {
  11: '--interrupt-budget=8000',
  12: '--invocation-count-for-turbofan=375',
};

/**
 * Hot code is compiled eight times sooner from now on, as the code of a request runs only once in it: the thousandth
 * portrait took 1.8 ms instead of 2.9. For processes that serve: while they start, it is modules that V8 would compile,
 * for a fifth of the processor time of a start. Delete with support for Node.js 22.
 */
export function compileEarlier(): void {
  const flag = earlierFlags[Number.parseInt(process.versions.v8, 10)];
  if (flag !== undefined) setFlagsFromString(flag);
}

type CollectGarbage = (options?: { type: 'minor' }) => void;
let gc: CollectGarbage | undefined;

/** Collects garbage now, all of it or what is young. Delete when Node.js has a function for it that needs no flag. */
export const collectGarbage: CollectGarbage = (options) => {
  gc ??= exposeGc();
  gc(options);
};

function exposeGc(): CollectGarbage {
  setFlagsFromString('--expose-gc');
  const exposed = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  return exposed;
}
