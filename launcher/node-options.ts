/**
 * How Node.js runs core and facade; the image and the scripts of package.json say the same.
 *
 * Pictures lie outside V8's heap, and every few requests their size makes V8 collect garbage. Its
 * helper threads and its marking in small steps, meant for large heaps, then cost more than they
 * save: with a heap of 20 MB one collection in one go is shorter, and no thread competes with the
 * workers. bench/README.md has the figures.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--single-threaded-gc',
  '--no-incremental-marking',
] as const;
