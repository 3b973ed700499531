import type { BoundingBox } from '../../../generated/imageanalysis/v1/geometry.js';
import type {
  AlternativeReading,
  ReadingDetails,
  ReadingStatus,
  ReadingWarning,
  ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import type { ImageFile, ImageLimits, Region, Size } from '../../image/picture.js';
import type { SeenCounter } from './counter-reading.js';
import type { KnownMeter } from './known-meter.js';
import type { CounterLight } from './read/counter-light.js';

// Only the names: the enums are next to the gRPC service, whose library no worker needs.
type ReadingStatusName = Exclude<keyof typeof ReadingStatus, 'UNSPECIFIED' | 'UNRECOGNIZED'>;
export type ReadingWarningName = Exclude<keyof typeof ReadingWarning, 'UNSPECIFIED' | 'UNRECOGNIZED'>;

export interface ReadMeterInput {
  readonly image: ImageFile;
  /** A reading below this confidence has the status CHECK, 0..1. */
  readonly checkBelow: number;
  readonly known: KnownMeter;
  readonly printed: boolean;
  /** Whether to return what fusing with other photos needs, and no print. */
  readonly evidence?: boolean;
  readonly limits: ImageLimits;
}

export interface ReadMeterOutput {
  /** Null when the picture shows no readable counter. */
  readonly reading: MeterReading | null;
  /** On request, where there is a reading. */
  readonly evidence?: PhotoEvidence;
  /** Milliseconds by step; `counter` has `locate`, `refine`, `read` and `mark`, the runs of the networks. */
  readonly timings: Readonly<Record<string, number>>;
}

/** What a photo says of its counter, to be fused with others. */
export interface PhotoEvidence extends SeenCounter {
  /** Size of the upright picture, and of the copy that was read. */
  readonly picture: Size;
  readonly copy: Size;
  /** The part of the copy that is the photo: what is around it has one colour, as in a screenshot. */
  readonly shown: Region;
  readonly light: CounterLight;
}

/** The response for a counter, before what the request does not ask for is left out. */
export interface MeterReading extends Omit<ReadMeterResponse, 'status' | 'warnings' | 'alternatives' | 'details'> {
  readonly status: ReadingStatusName;
  readonly warnings: readonly ReadingWarningName[];
  readonly alternatives: AlternativeReading[];
  readonly boundingBox: BoundingBox;
  readonly details: Omit<ReadingDetails, 'model'>;
}

export interface FuseReadingsInput extends Pick<ReadMeterInput, 'checkBelow' | 'known'> {
  /** One or more, of one counter. */
  readonly photos: readonly PhotoEvidence[];
}

export interface FuseReadingsOutput {
  readonly reading: MeterReading;
  /** The photo in which the places of the reading are. */
  readonly best: number;
  /** Whether each photo alone shows the digits before the fraction. */
  readonly agrees: readonly boolean[];
}

export type MeterTasks = {
  readMeter: { input: ReadMeterInput; output: ReadMeterOutput };
  fuseReadings: { input: FuseReadingsInput; output: FuseReadingsOutput };
};
