import type { Quad } from './geometry.js';
import type { Hypothesis } from './read/hypothesis.js';

/** What the networks saw in one photo: its own reading, and the probabilities that it follows from. */
export interface SeenCounter {
  readonly counter: CounterReading;
  readonly hypothesis: Pick<Hypothesis, 'strips' | 'readings' | 'marks'>;
}

/** A counter as seen by the networks, before it becomes a response. Quads are in pixels of their input picture. */
export interface CounterReading {
  /** Left to right as one reads, 1 or more. */
  readonly wheels: readonly Wheel[];
  readonly quad: Quad;
  /** Probability that the wheels before the fraction are right, none invented and none left out, 0..1. */
  readonly digitsConfidence: number;
  /** Probability that the point is where the value has it, or that there is none, 0..1. */
  readonly fractionConfidence: number;
  /** Number of fraction wheels at the end; undefined if that could not be determined. */
  readonly fractionWheels: number | undefined;
  readonly isFractionSure: boolean;
  /** Whether another place in the picture reads as a counter too. */
  readonly rivalled: boolean;
  /** Whether there are wheels before the first, behind one that is covered. */
  readonly wheelBefore: boolean;
  /** Plausible readings in which each wheel is at the same number or a step away, most likely first. */
  readonly alternatives: readonly Alternative[];
}

/** Digits of as many wheels, and the probability that the strips give them. */
interface Alternative {
  readonly text: string;
  readonly probability: number;
}

export interface Wheel {
  readonly digit: string;
  /** Probability that the digit is right, 0..1. */
  readonly confidence: number;
  readonly quad: Quad;
  /** Whether it is between this digit and the next. */
  readonly betweenPositions: boolean;
}
