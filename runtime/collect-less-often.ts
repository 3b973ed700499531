import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect all of its heap less often. Pictures lie outside that heap, but count towards the
 * size at which all of it is collected: with the usual limit, less than twice what is in use, that came
 * every hundred portraits and every four photos of 12 megapixels. With five times it comes every six
 * hundred and every ten; bench/README.md has the figures. V8 reads it at each collection.
 */
export function collectLessOften(): void {
  setFlagsFromString('--heap-growing-percent=400');
}
