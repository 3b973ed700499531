import { versions } from 'node:process';
import { setFlagsFromString } from 'node:v8';

/**
 * By V8's version, since it tells standard error of what it does not know: Node.js 20 counts bytecode, 22
 * calls. Later ones have a compiler for this (Maglev), and nothing was won there.
 */
const compileEarlier: Readonly<Record<number, string>> = {
  11: '--interrupt-budget=8000',
  12: '--invocation-count-for-turbofan=375',
};

/**
 * Sets V8 to serving small requests with large buffers for a long time. It reads these settings while it
 * runs, so that they need not stand on every command line; bench/TRIED.md has the figures.
 *
 * - All of the heap is collected less often. Pictures lie outside that heap, but count towards the size
 *   at which all of it is collected: with the usual limit, less than twice what is in use, that came
 *   every hundred portraits and every four photos of 12 megapixels. With five times it comes every six
 *   hundred and every ten.
 * - What runs often is compiled eight times sooner, since all code of a request runs once a request:
 *   after 500 requests instead of 3,000.
 */
export function tuneV8(): void {
  setFlagsFromString('--heap-growing-percent=400');
  const earlier = compileEarlier[Number.parseInt(versions.v8, 10)];
  if (earlier !== undefined) setFlagsFromString(earlier);
}
