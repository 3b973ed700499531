import type { ReadingStatus, ReadingWarning } from '../../../generated/imageanalysis/v1/meter_reading.js';
import type { ImageFile, ImageLimits } from '../../image/picture.js';
import type { Box } from '../../image/picture.js';
import type { KnownMeter } from './known-meter.js';
import type { PrintedText } from './printed/printed-text.js';

// Only the names: the enums are next to the gRPC service, whose library no worker needs.
export type ReadingStatusName = Exclude<keyof typeof ReadingStatus, 'UNSPECIFIED'>;
export type ReadingWarningName = Exclude<keyof typeof ReadingWarning, 'UNSPECIFIED'>;

/** Input of the task `readMeter`. */
export interface ReadMeterInput {
  /** The picture file as it was received. */
  readonly image: ImageFile;
  /** A reading below this confidence has the status CHECK, 0..1. */
  readonly checkBelow: number;
  readonly known: KnownMeter;
  /** Whether to read the print around the counter. */
  readonly printed: boolean;
  readonly limits: ImageLimits;
}

/** Result of the task `readMeter`. */
export interface ReadMeterOutput {
  /** Null when the picture shows no readable counter. */
  readonly reading: MeterReading | null;
  /** Milliseconds by step; `counter` has `locate`, `refine` and `read`, the runs of the networks. */
  readonly timings: Readonly<Record<string, number>>;
}

/** The reading of a counter; boxes in pixels of the upright picture. */
export interface MeterReading {
  /** All digits, leading zeros kept. */
  readonly meterNumber: string;
  /** The digits with the decimal point, or without one if its position could not be determined. */
  readonly value: string;
  readonly unit: string;
  /** Probability that the integer part of the value is right, the point's position included, 0..1. */
  readonly confidence: number;
  /** Its parts: of the digits, and of the point's position. */
  readonly details: { readonly digitsConfidence: number; readonly fractionConfidence: number };
  readonly status: ReadingStatusName;
  readonly warnings: readonly ReadingWarningName[];
  readonly boundingBox: Box;
  readonly digits: readonly MeterDigit[];
  /** Readings one step away that are about as plausible, most likely first. */
  readonly alternatives: readonly AlternativeReading[];
  /** Only on request. */
  readonly printed?: PrintedText;
}

/** Another possible reading. */
export interface AlternativeReading {
  readonly meterNumber: string;
  readonly value: string;
  /** By the reading network alone, 0..1. */
  readonly probability: number;
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
