import { after } from 'node:test';

/**
 * What a file or a suite starts for all its tests: each function handed to `after` is called once the
 * tests are over, the last one first.
 */
export function createLifetime(): { readonly after: (end: () => unknown) => void } {
  const ends: (() => unknown)[] = [];
  after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { after: (end) => void ends.push(end) };
}
