import type { BoundingBox } from '../../../generated/imageanalysis/v1/geometry.js';
import type {
  AlternativeReading,
  ReadingDetails,
  ReadingStatus,
  ReadingWarning,
  ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import type { ImageFile, ImageLimits } from '../../image/picture.js';
import type { KnownMeter } from './known-meter.js';

// Only the names: the enums are next to the gRPC service, whose library no worker needs.
export type ReadingStatusName = Exclude<keyof typeof ReadingStatus, 'UNSPECIFIED'>;
export type ReadingWarningName = Exclude<keyof typeof ReadingWarning, 'UNSPECIFIED'>;

export interface ReadMeterInput {
  readonly image: ImageFile;
  /** A reading below this confidence has the status CHECK, 0..1. */
  readonly checkBelow: number;
  readonly known: KnownMeter;
  readonly printed: boolean;
  readonly limits: ImageLimits;
}

export interface ReadMeterOutput {
  /** Null when the picture shows no readable counter. */
  readonly reading: MeterReading | null;
  /** Milliseconds by step; `counter` has `locate`, `refine` and `read`, the runs of the networks. */
  readonly timings: Readonly<Record<string, number>>;
}

/** The response for a counter, before what the request does not ask for is left out. */
export interface MeterReading extends Omit<ReadMeterResponse, 'status' | 'warnings' | 'alternatives' | 'details'> {
  readonly status: ReadingStatusName;
  readonly warnings: readonly ReadingWarningName[];
  readonly alternatives: AlternativeReading[];
  readonly boundingBox: BoundingBox;
  readonly details: Omit<ReadingDetails, 'model'>;
}

/** The tasks of this feature in the worker pool. */
export type MeterTasks = {
  readMeter: { input: ReadMeterInput; output: ReadMeterOutput };
};
