import type { PictureSet } from '../pictures.js';

/** What the limit's process and its threads are told at the start. */
export interface LimitSettings {
  readonly manifestUrl: string;
  readonly sets: readonly Pick<PictureSet, 'name' | 'files'>[];
  readonly threads: number;
}

/** Work on the pictures of a set, one after the other, for so long. */
export interface LimitOrder {
  readonly set: string;
  readonly windowMs: number;
  readonly minRequests: number;
  /** Threads that work. */
  readonly threads: number;
}

export interface LimitAnswer {
  readonly latenciesMs: readonly number[];
  readonly elapsedMs: number;
}
