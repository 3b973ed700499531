import type { Face, FaceLandmarks } from '../../../generated/imageanalysis/v1/face_detection.js';
import type { Point } from '../../image/picture.js';
import type { FaceResult } from './task.js';

/** A face as the message says it. */
export function toFace(result: FaceResult): Face {
  const { boundingBox, detectionScore, cropJpeg, landmarks } = result;
  return {
    boundingBox,
    detectionScore,
    // The same memory: a worker's result is not a Buffer any more.
    cropJpeg: cropJpeg
      ? Buffer.from(cropJpeg.buffer, cropJpeg.byteOffset, cropJpeg.byteLength)
      : Buffer.alloc(0),
    landmarks: landmarks && toLandmarks(landmarks),
  };
}

/** The order of the points is that of the model contract. */
function toLandmarks(points: readonly Point[]): FaceLandmarks {
  const [rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner] = points;
  return { rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner };
}
