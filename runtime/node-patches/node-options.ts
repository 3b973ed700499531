/**
 * How Node.js runs core and facade; the image and the scripts of package.json say the same.
 *
 * Pictures lie outside V8's heap, and every few requests their size makes V8 collect garbage. Its
 * helper threads, meant for large heaps, then compete with the workers and cost more than they save.
 * Marking stays incremental: in one go it would take a tenth less processor time, but everything else
 * would stand still meanwhile.
 *
 * V8 does not collect when idle, either: seconds after the last request it would do so fully up to three times,
 * return some memory, and forget the shapes of a request's objects with the code compiled for them. Ten seconds
 * after a burst, a portrait took the facade a quarter more processor time. bench/TRIED.md has the figures.
 */
export const nodeOptions = [
  '--enable-source-maps',
  '--single-threaded-gc',
  '--no-memory-reducer',
] as const;
