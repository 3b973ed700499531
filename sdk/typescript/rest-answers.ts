// The responses of the REST API, member by member as they are sent.

/** Pixels of the upright picture; origin top left. */
export interface BoundingBox {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

/** In every response. */
export interface Answer {
  /** `success`; of more than 1,000 faces, that with how many were left out. */
  readonly message: string;
  /** Processing time in seconds; absent for score configuration. */
  readonly process_time?: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DetectedFace {
  readonly bbox: BoundingBox;
  /** 0 to 1, a decimal as a string. */
  readonly detection_score: string;
  /** JPEG, unless another format was asked for, as base64; absent if `crop` was false. */
  readonly face?: string;
  /** Only on request. Left and right are the person's. */
  readonly landmarks?: Readonly<
    Record<'right_eye' | 'left_eye' | 'nose_tip' | 'right_mouth_corner' | 'left_mouth_corner', Point>
  >;
  /** Only on request. */
  readonly attributes?: FaceAttributes;
}

/** Angles in degrees, shares 0 to 1; see the service's documentation. */
export interface FaceAttributes {
  readonly roll: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly sharpness: number;
  readonly brightness: number;
  readonly contrast: number;
  /** Pixels. */
  readonly inter_eye_distance: number;
  readonly is_cut: boolean;
  readonly quality: number;
}

/** How faces were found; only on request. */
export interface DetectionDetails {
  readonly image?: { readonly width: number; readonly height: number };
  readonly threshold?: { readonly value: number; readonly source: 'request' | 'company' | 'default' };
  readonly model?: { readonly name: string; readonly version: string };
}

export interface SingleFaceAnswer extends Answer, DetectedFace, DetectionDetails {}

export interface AllFacesAnswer extends Answer, DetectionDetails {
  /** Largest first. */
  readonly result: readonly DetectedFace[];
}

/** A picture with its faces hidden. */
export interface RedactedPicture {
  /** The picture file, whose type is that of the blob. */
  readonly image: Blob;
  readonly faceCount: number;
}

export interface MeterAnswer extends Answer {
  /** All digits, leading zeros kept. */
  readonly meter_number: string;
  /** With the decimal point, if its position could be determined. */
  readonly value: string;
  readonly unit: string;
  /** Probability that the integer part of `value` is right, including the position of the decimal point, 0 to 1. */
  readonly confidence: number;
  /** `check` means that a person should review it. */
  readonly status: 'ok' | 'check';
  readonly warnings: readonly string[];
  readonly bbox: BoundingBox;
  readonly digits: readonly {
    readonly digit: string;
    readonly confidence: number;
    readonly bbox: BoundingBox;
    readonly polygon?: readonly Point[];
  }[];
  /** What else the counter may show; only on request. */
  readonly alternatives?: readonly {
    readonly meter_number: string;
    readonly value: string;
    readonly probability: number;
  }[];
  /** What is printed on the meter; only on request. */
  readonly printed?: { readonly serial_number: string; readonly unit: string };
  /** The parts of `confidence`, and the network; only with `details`. */
  readonly digits_confidence?: number;
  readonly fraction_confidence?: number;
  readonly model?: { readonly name: string; readonly version: string };
  /** The four corners of the counter, from the top left clockwise as one reads it; only with `details`. */
  readonly polygon?: readonly Point[];
}

/** One reading of several photos. */
export interface FusedMeterAnswer extends MeterAnswer {
  /** The photo that says most for the reading, from 0; the places are in that one. */
  readonly best_photo: number;
  /** What each photo shows alone, or why it could not be read, in the order of the request. */
  readonly photos: readonly (Partial<Pick<MeterAnswer, 'value' | 'confidence' | 'status'>> &
    Pick<MeterAnswer, 'warnings'> & {
      /** Whether it shows the digits before the fraction that the reading has. */
      readonly agrees: boolean;
      readonly refusal?: string;
    })[];
}

export interface ScoreAnswer extends Answer {
  readonly company: string;
  readonly detection_score: number;
}

export interface VersionAnswer extends Answer {
  readonly version: string;
  readonly models: readonly { readonly name: string; readonly version: string }[];
}
