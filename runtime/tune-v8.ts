import { versions } from 'node:process';
import { setFlagsFromString } from 'node:v8';

/**
 * Sets V8 to serving small requests with large buffers for a long time. It reads these settings while it
 * runs, so that they need not stand on every command line; bench/README.md has the figures.
 *
 * - All of the heap is collected less often. Pictures lie outside that heap, but count towards the size
 *   at which all of it is collected: with the usual limit, less than twice what is in use, that came
 *   every hundred portraits and every four photos of 12 megapixels. With five times it comes every six
 *   hundred and every ten.
 * - What runs often is compiled eight times sooner, since all code of a request runs once a request:
 *   after 500 requests instead of 3,000.
 *
 * V8 tells standard error of a setting that it does not know, so each version gets its own.
 */
export function tuneV8(): void {
  setFlagsFromString('--heap-growing-percent=400');
  setFlagsFromString(
    Number.parseInt(versions.v8, 10) < 12
      ? '--interrupt-budget=8000' // bytecode, up to Node.js 21
      : '--invocation-count-for-turbofan=375', // calls
  );
}
