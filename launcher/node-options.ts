/**
 * How Node.js runs core and facade; the image and the scripts of package.json say the same.
 *
 * Pictures lie outside V8's heap, and every few requests their size makes V8 collect garbage. Its
 * helper threads, meant for large heaps, then compete with the workers and cost more than they save.
 * Marking stays incremental: in one go it would take a tenth less processor time, but everything else
 * would stand still meanwhile. bench/TRIED.md has the figures.
 */
export const nodeOptions = ['--enable-source-maps', '--single-threaded-gc'] as const;
