import type { SetName } from './pictures.js';

/** How much is measured. */
export interface Plan {
  readonly rounds: number;
  /** No round is begun that would end later, judged by what its windows took before; the first one always is. */
  readonly maxMs: number;
  /** Length of one window; longer where two requests take longer. */
  readonly windowMs: number;
  /** Of our own systems and the limit. */
  readonly cells: readonly Cell[];
  /** Those of them that peers are measured in. */
  readonly peerCells: readonly Cell[];
  /** Rounds that slow peers take part in, the first ones: they take most of a round's time. */
  readonly slowRounds: number;
  readonly starts: number;
  readonly healthWindowMs: number;
  /**
   * So long the facade, with its core, answers portraits beforehand: V8 compiles what runs often, and a service is
   * measured as it is after its first minutes.
   */
  readonly compileMs: number;
}

/** One point of the table. */
export interface Cell {
  readonly set: SetName;
  readonly concurrency: number;
}

const all: readonly SetName[] = ['vga', '12mp', 'crowd', 'meter'];
const cross = (sets: readonly SetName[], concurrencies: readonly number[]): Cell[] =>
  sets.flatMap((set) => concurrencies.map((concurrency) => ({ set, concurrency })));

/** The whole matrix, about a quarter of an hour. */
export const fullPlan: Plan = {
  rounds: 5,
  maxMs: 18 * 60_000,
  windowMs: 1200,
  cells: cross(all, [1, 2, 8, 64]),
  peerCells: cross(all, [1, 8]),
  slowRounds: 5,
  starts: 5,
  healthWindowMs: 5000,
  compileMs: 30_000,
};

/** What the ratios need and little more, under three minutes. */
export const quickPlan: Plan = {
  rounds: 9,
  maxMs: 165_000,
  windowMs: 700,
  // Three times: a difference of milliseconds needs more pairs than a ratio.
  cells: [...cross(['vga', 'vga', 'vga'], [1]), ...cross(all, [8])],
  peerCells: cross(['vga', 'meter'], [8]),
  slowRounds: 1,
  starts: 2,
  healthWindowMs: 3000,
  compileMs: 10_000,
};
