import type { Resampling, RgbPicture } from '../image/picture.js';
import type { Quad } from './geometry.js';
import type { KnownMeter } from './known-meter.js';

/** A counter as networks saw it, before it becomes an answer. Quads in pixels of the picture they got. */
export interface CounterReading {
  /** Left to right as one reads, 1 or more. */
  readonly wheels: readonly Wheel[];
  /** The whole counter. */
  readonly quad: Quad;
  /** Probability that the wheels before the fraction are right, 0..1. */
  readonly confidence: number;
  /** How many wheels at the end are fractions; undefined where that could not be told. */
  readonly fractionWheels: number | undefined;
  /** That number can be relied on. */
  readonly isFractionSure: boolean;
  /** Another place in the picture reads as a counter too. */
  readonly rivalled: boolean;
  /** Readings one step away that are about as right, the likelier first. */
  readonly alternatives: readonly Alternative[];
}

/** Digits of as many wheels, and the probability that the strips give them. */
export interface Alternative {
  readonly text: string;
  readonly probability: number;
}

/** One wheel. */
export interface Wheel {
  readonly digit: string;
  /** Probability that the digit is right, 0..1. */
  readonly confidence: number;
  readonly quad: Quad;
  /** It stands between this digit and the next. */
  readonly betweenPositions: boolean;
}

/** Networks that find and read a counter. Belongs to the thread that made it. */
export interface CounterReader {
  /** Longer side at which it wants the picture, pixels; smaller pictures come as they are. */
  readonly maxSide: number;
  /** How it wants it shrunk. */
  readonly resampling: Resampling;
  /** The reading is null where it finds no readable counter; timings are milliseconds in the networks. */
  read(
    picture: RgbPicture,
    known: KnownMeter,
    signal: AbortSignal,
  ): Promise<{
    readonly reading: CounterReading | null;
    readonly timings: Readonly<Record<string, number>>;
  }>;
  /** Gives the networks' memory back. */
  release(): Promise<void>;
}
