/** Chance that can be repeated: the same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
  bytes(length: number): Buffer;
}

/** mulberry32: small, fast, and good enough to choose inputs by. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: (from) => from[int(from.length)] as (typeof from)[number],
    chance: (probability) => next() < probability,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}
