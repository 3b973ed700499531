import { createMulberry32 } from '../../bench/measure/mulberry32.js';

/** Chance that can be repeated: the same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
  bytes(length: number): Buffer;
}

export function createRandom(seed: number): Random {
  const next = createMulberry32(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: (from) => from[int(from.length)] as (typeof from)[number],
    chance: (probability) => next() < probability,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}
