import type {
  ReadingStatus,
  ReadingWarning,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import type { ImageLimits } from '../image/limits.js';
import type { Box } from './geometry.js';

/** What the task `readMeter` is given. */
export interface ReadMeterInput {
  /** The picture file as it came. */
  readonly image: Uint8Array;
  /** A reading below this confidence has the status CHECK, 0..1. */
  readonly checkBelow: number;
  readonly limits: ImageLimits;
}

/** What the task `readMeter` gives. */
export interface ReadMeterOutput {
  /** Null when the picture shows no readable counter. */
  readonly reading: MeterReading | null;
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

/** A counter as it was read; boxes in pixels of the upright picture. */
export interface MeterReading {
  /** All digits, leading zeros kept. */
  readonly meterNumber: string;
  /** The digits with the decimal point, or as they are where it could not be told. */
  readonly value: string;
  readonly unit: 'm3';
  /** Probability that `meterNumber` is right, 0..1. */
  readonly confidence: number;
  readonly status: ReadingStatus;
  readonly warnings: readonly ReadingWarning[];
  readonly boundingBox: Box;
  readonly digits: readonly MeterDigit[];
}

/** One wheel of a counter. */
export interface MeterDigit {
  readonly digit: string;
  readonly confidence: number;
  readonly boundingBox: Box;
}

/** The tasks of this feature in the worker pool. */
export type MeterTasks = {
  readMeter: { input: ReadMeterInput; output: ReadMeterOutput };
};
