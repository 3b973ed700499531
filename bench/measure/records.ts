import type { SetName } from '../pictures.js';

/** One window of one system. */
export interface Sample {
  readonly round: number;
  /** Of the cell in the plan: one that stands there several times is measured as often in each round. */
  readonly at: number;
  readonly system: string;
  readonly set: SetName;
  readonly concurrency: number;
  /** Answered requests a second. */
  readonly throughput: number;
  readonly latenciesMs: readonly number[];
  readonly refused: number;
  readonly failed: number;
  /** The first failure, in words. */
  readonly failure: string | undefined;
  /** Processor time of the system a request; absent where it cannot be told. */
  readonly cpuMs: number | undefined;
  /** What each answered request took the core alone, without gRPC; empty where it is not known. */
  readonly workMs: readonly number[];
  /** Share of all processors' time that a hypervisor gave to other machines. */
  readonly stolen: number;
}

/** What is known of one system over the whole run. */
export interface SystemFacts {
  readonly title: string;
  /** Resident after each round, idle; bytes. */
  readonly residentBytes: readonly number[];
  /** The most that was ever resident. */
  readonly peakBytes: number | undefined;
  /** What it found in the first picture of each set, in words. */
  readonly found: Readonly<Partial<Record<SetName, string>>>;
}
