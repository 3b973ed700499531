import type { Face, FaceLandmarks } from '../../../generated/imageanalysis/v1/face_detection.js';
import type { Point } from '../../image/picture.js';
import type { FaceResult } from './task.js';

/** A face as the message says it. */
export function toFace(result: FaceResult): Face {
  const { boundingBox, detectionScore, crop, landmarks, attributes } = result;
  return {
    boundingBox,
    detectionScore,
    // The same memory: a worker's result is not a Buffer any more.
    cropJpeg: crop ? Buffer.from(crop.buffer, crop.byteOffset, crop.byteLength) : Buffer.alloc(0),
    landmarks: landmarks && toLandmarks(landmarks),
    attributes,
  };
}

/** The order of the points is that of the model contract. */
function toLandmarks(points: readonly Point[]): FaceLandmarks {
  const [rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner] = points;
  return { rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner };
}
