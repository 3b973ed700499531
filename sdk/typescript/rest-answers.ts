// What the REST API answers, member by member as it is sent.

/** Pixels of the upright picture; origin top left. */
export interface BoundingBox {
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

/** Of every answer. */
export interface Answer {
  /** `success`, or with what was left out. */
  readonly message: string;
  /** Seconds that the service took; absent from score configuration. */
  readonly process_time?: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DetectedFace {
  readonly bbox: BoundingBox;
  /** 0 to 1, a decimal as text. */
  readonly detection_score: string;
  /** JPEG as base64; absent where `crop` was false. */
  readonly face?: string;
  /** Only on request. Left and right are the person's own. */
  readonly landmarks?: Readonly<
    Record<
      'right_eye' | 'left_eye' | 'nose_tip' | 'right_mouth_corner' | 'left_mouth_corner',
      Point
    >
  >;
}

/** How faces were found; only on request. */
export interface DetectionDetails {
  readonly image?: { readonly width: number; readonly height: number };
  readonly threshold?: {
    readonly value: number;
    readonly source: 'request' | 'company' | 'default';
  };
  readonly model?: { readonly name: string; readonly version: string };
}

export interface SingleFaceAnswer extends Answer, DetectedFace, DetectionDetails {}

export interface AllFacesAnswer extends Answer, DetectionDetails {
  /** Largest first. */
  readonly result: readonly DetectedFace[];
}

export interface MeterAnswer extends Answer {
  /** All digits, leading zeros kept. */
  readonly meter_number: string;
  /** With the decimal point, where it could be told. */
  readonly value: string;
  readonly unit: string;
  /** Probability that the digits before the fraction are right, 0 to 1. */
  readonly confidence: number;
  /** `check`: a person should look. */
  readonly status: 'ok' | 'check';
  readonly warnings: readonly string[];
  readonly bbox: BoundingBox;
  readonly digits: readonly {
    readonly digit: string;
    readonly confidence: number;
    readonly bbox: BoundingBox;
  }[];
  /** What else the counter may show; only on request. */
  readonly alternatives?: readonly {
    readonly meter_number: string;
    readonly value: string;
    readonly probability: number;
  }[];
  /** What is printed on the meter; only on request. */
  readonly printed?: { readonly serial_number: string; readonly unit: string };
}

export interface ScoreAnswer extends Answer {
  readonly company: string;
  readonly detection_score: number;
}
