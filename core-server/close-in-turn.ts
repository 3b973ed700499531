/** Frees something; what is under way may go on for `graceMs` first. */
export type Closer = (graceMs: number) => Promise<unknown>;

/**
 * Closes one after the other. All share one grace time: what one used of it, those after it do not get.
 *
 * @param now milliseconds, monotonic
 */
export async function closeInTurn(
  closers: readonly Closer[],
  graceMs: number,
  now: () => number,
): Promise<void> {
  const endsAt = now() + graceMs;
  for (const close of closers) await close(Math.max(0, endsAt - now()));
}
