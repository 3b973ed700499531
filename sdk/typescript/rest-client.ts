import type { BatchLine } from './batch-lines.js';
import type {
  AllFacesAnswer,
  FusedMeterAnswer,
  MeterAnswer,
  RedactedPicture,
  ScoreAnswer,
  SingleFaceAnswer,
  VersionAnswer,
} from './rest-answers.js';
import type { RetryOptions } from './retry.js';
import type { CallOptions } from './time-limit.js';

export interface RestClientOptions extends RetryOptions {
  /** URL of the REST API. In a page of the service itself: `location.origin`. */
  readonly url: string;
  readonly apiKey: string;
  /** Milliseconds per call, unless the call sets its own; 30,000 by default. */
  readonly timeoutMs?: number;
}

/** A picture: a `File` from a page, or bytes as returned by `readFile`. */
export type Picture = Blob | Uint8Array;

/** Options for a detection. */
export interface DetectionOptions extends CallOptions {
  /** A registered company, whose score is the threshold. */
  readonly company?: string;
  /** Threshold, 0 to 1; overrides the company's. */
  readonly minScore?: number;
  readonly landmarks?: boolean;
  /** False leaves the cropped faces out. */
  readonly crop?: boolean;
  readonly details?: boolean;
  /** Whether to return pose, sharpness, light and quality. */
  readonly attributes?: boolean;
  /** Leaves faces of a lower quality out, 0 to 1. */
  readonly minQuality?: number;
  /** Whether crops are turned and scaled for face recognition. */
  readonly cropAligned?: boolean;
  /** Room around the face on each side, 0 to 1 of its box. */
  readonly margin?: number;
  readonly cropFormat?: 'jpeg' | 'png' | 'webp';
  /** Side in pixels of the square that a crop fits in, 16 to 1024. */
  readonly cropSize?: number;
}

/** Options for a redaction. */
export interface RedactionOptions extends CallOptions {
  /** A registered company, whose score is the threshold if it is lower than the default. */
  readonly company?: string;
  /** Threshold, 0 to 1; overrides the company's. Lower ones hide more faces, and more that are none. */
  readonly minScore?: number;
  readonly style?: 'blur' | 'pixelate' | 'box';
  /** Room around the face on each side that is hidden too, 0 to 1 of its box. */
  readonly margin?: number;
  readonly format?: 'jpeg' | 'png' | 'webp';
}

/** What is known about a meter, and options for its reading. */
export interface ReadingOptions extends CallOptions {
  /** Number of wheels on the counter, including those of the fraction. */
  readonly expectedDigits?: number;
  /** How many of them are the fraction. */
  readonly expectedDecimals?: number;
  /** An earlier `value` of the meter. */
  readonly previousReading?: string;
  /** The most the value can have risen since. */
  readonly maxIncrease?: string;
  /** Whether to return the printed serial number and unit; takes several times longer. */
  readonly serialNumber?: boolean;
  readonly alternatives?: boolean;
  /** Whether to return `digits_confidence`, `fraction_confidence`, `model` and each `polygon`. */
  readonly details?: boolean;
  /** `m3`, `kWh`, `gal`, `ft3` or `GJ`. */
  readonly expectedUnit?: string;
}

/**
 * The calls of the service over REST, for browsers and Node.js. Calls reject with a RefusedError, or
 * with `signal.reason` once aborted.
 */
export interface RestClient {
  /** Finds the largest face; NO_FACE if there is none. */
  detectSingleFace(file: Picture, options?: DetectionOptions): Promise<SingleFaceAnswer>;
  /** Finds all faces, largest first. */
  detectAllFaces(file: Picture, options?: DetectionOptions & { readonly maxFaces?: number }): Promise<AllFacesAnswer>;
  /** Hides all faces, and returns the picture without metadata. */
  redactFaces(file: Picture, options?: RedactionOptions): Promise<RedactedPicture>;
  /** Reads a water meter; NO_READING if there is no readable counter. */
  readMeter(file: Picture, options?: ReadingOptions): Promise<MeterAnswer>;
  /** The same from `data:<image type>;base64,<data>`, as returned by a canvas. */
  readMeterDataUrl(image: string, options?: ReadingOptions): Promise<MeterAnswer>;
  /** Reads up to 8 photos of one meter as one; NO_READING if none has a readable counter. */
  fuseMeterReadings(
    files: readonly Picture[],
    options?: Omit<ReadingOptions, 'serialNumber'>,
  ): Promise<FusedMeterAnswer>;
  /**
   * Finds the faces of several pictures in one call; lines come as soon as they are ready, in any order. Throws if the
   * service refuses the call, or breaks it off. It is not retried. Leaving the loop ends it.
   */
  detectFacesBatch(
    files: readonly Picture[],
    options?: DetectionOptions & { readonly maxFaces?: number },
  ): AsyncGenerator<BatchLine<AllFacesAnswer>>;
  /** Reads several meters; otherwise like `detectFacesBatch`. */
  readMetersBatch(files: readonly Picture[], options?: ReadingOptions): AsyncGenerator<BatchLine<MeterAnswer>>;
  /** Returns a company's default threshold. */
  getDetectionScore(company: string, password: string, options?: CallOptions): Promise<ScoreAnswer>;
  /** Sets a company's default threshold, 0 to 1. */
  setDetectionScore(company: string, password: string, score: number, options?: CallOptions): Promise<ScoreAnswer>;
  /** Says which versions of the service and of its models are running. */
  getVersion(options?: CallOptions): Promise<VersionAnswer>;
}
