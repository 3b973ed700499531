/** Closes something; work in progress may continue for `graceMs` first. */
export type Closer = (graceMs: number) => Promise<unknown> | void;

/** Closes each once, the last opened first. They share one grace period: what one has used is not left for the next. */
export async function closeInTurn(closers: Closer[], graceMs: number): Promise<void> {
  const endsAt = performance.now() + graceMs;
  for (const close of closers.splice(0).reverse()) await close(Math.max(0, endsAt - performance.now()));
}
