/** Closes something; work in progress may continue for `graceMs` first. */
export type Closer = (graceMs: number) => Promise<unknown> | void;

/** Closes one after the other. They share one grace period: what one has used is not left for those after it. */
export async function closeInTurn(closers: readonly Closer[], graceMs: number): Promise<void> {
  const endsAt = performance.now() + graceMs;
  for (const close of closers) await close(Math.max(0, endsAt - performance.now()));
}
