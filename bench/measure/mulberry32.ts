/**
 * Numbers from 0 to below 1 that are the same on every run with a seed: small, fast, and good enough for noise and for
 * choosing test inputs; not for secrets.
 */
export function createMulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
