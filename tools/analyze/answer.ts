import type {
  BoundingBox,
  DetectAllFacesResponse,
  ReadMeterResponse,
  RefusedError,
} from '../../sdk/typescript/client.js';

/** Why a picture has no answer. */
export interface PictureError {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

export type FeatureName = 'faces' | 'meters';

/** One line of the output, with the names of the REST API. */
export interface Line {
  readonly file: string;
  readonly feature: FeatureName;
  readonly error?: PictureError;
  readonly [member: string]: unknown;
}

/** The members of a line for a successful picture, without crops. */
export function toFaces({ faces, omittedFaces }: DetectAllFacesResponse) {
  return {
    result: faces.map(({ boundingBox, detectionScore, landmarks }) => ({
      bbox: toBox(boundingBox),
      // As REST shows it.
      detection_score: detectionScore.toFixed(6).replace(/0{1,2}$/, ''),
      ...(landmarks && {
        landmarks: {
          right_eye: landmarks.rightEye,
          left_eye: landmarks.leftEye,
          nose_tip: landmarks.noseTip,
          right_mouth_corner: landmarks.rightMouthCorner,
          left_mouth_corner: landmarks.leftMouthCorner,
        },
      }),
    })),
    ...(omittedFaces > 0 && { omitted_faces: omittedFaces }),
  };
}

export function toReading(reading: ReadMeterResponse) {
  return {
    meter_number: reading.meterNumber,
    value: reading.value,
    unit: reading.unit,
    confidence: reading.confidence,
    status: reading.status.replace('READING_STATUS_', '').toLowerCase(),
    warnings: reading.warnings.map((warning) => warning.replace('READING_WARNING_', '')),
    bbox: toBox(reading.boundingBox),
    digits: reading.digits.map(({ digit, confidence, boundingBox }) => ({
      digit,
      confidence,
      bbox: toBox(boundingBox),
    })),
  };
}

export function toError({ code, reason, message }: RefusedError): PictureError {
  return { code, reason: reason ?? 'INTERNAL', message };
}

function toBox(box: BoundingBox | undefined): BoundingBox {
  return box ?? { xmin: 0, ymin: 0, xmax: 0, ymax: 0 };
}
