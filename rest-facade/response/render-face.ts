import type {
  DetectAllFacesResponse,
  DetectionDetails,
  DetectSingleFaceResponse,
  Face,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { mostFaces } from '../../runtime/net/grpc-channel.js';
import { withoutPrefix } from './enum-name.js';
import { Base64, Float, type Members } from './json.js';
import { renderBox, renderPoint } from './render-geometry.js';
import type { Wire } from './wire.js';

/** `POST /face_detect_single` */
export function renderSingleFace(answer: Wire<DetectSingleFaceResponse>): Members {
  return {
    ...(answer.face ? renderFace(answer.face) : {}),
    ...renderDetails(answer.details),
  };
}

/** `POST /face_detect_multi` */
export function renderAllFaces(answer: Wire<DetectAllFacesResponse>): Members {
  return {
    message: describeOmission(answer),
    result: answer.faces.map(renderFace),
    ...renderDetails(answer.details),
  };
}

/** `face` is left out if no crop was requested, `landmarks` unless they were. */
function renderFace(face: Wire<Face>): Members {
  const { landmarks } = face;
  return {
    bbox: renderBox(face.bounding_box),
    detection_score: formatScore(face.detection_score),
    face: face.crop_jpeg.byteLength > 0 ? new Base64(face.crop_jpeg) : undefined,
    landmarks: landmarks
      ? {
          right_eye: renderPoint(landmarks.right_eye),
          left_eye: renderPoint(landmarks.left_eye),
          nose_tip: renderPoint(landmarks.nose_tip),
          right_mouth_corner: renderPoint(landmarks.right_mouth_corner),
          left_mouth_corner: renderPoint(landmarks.left_mouth_corner),
        }
      : undefined,
  };
}

/**
 * The documented string. It has 4 decimals as a rule, and up to 6 if needed, since thresholds have 6 and a
 * face exactly at its threshold must not appear to be below it.
 */
export function formatScore(score: number): string {
  return score.toFixed(6).replace(/0{1,2}$/, '');
}

/** With fewer than the most, the caller's own `max_faces` left faces out, which is plain success. */
function describeOmission({ faces, omitted_faces: omitted }: Wire<DetectAllFacesResponse>): string {
  if (omitted === 0 || faces.length < mostFaces) return 'success';
  return omitted === 1
    ? 'success, the smallest face was left out'
    : `success, the ${omitted} smallest faces were left out`;
}

function renderDetails(details: Wire<DetectionDetails> | null | undefined): Members {
  if (!details) return {};
  const { image, threshold, model } = details;
  return {
    image: image ? { width: image.width, height: image.height } : undefined,
    threshold: threshold
      ? {
          value: new Float(threshold.value),
          source: withoutPrefix(threshold.source, 'THRESHOLD_SOURCE_').toLowerCase(),
        }
      : undefined,
    model: model ? { name: model.name, version: model.version } : undefined,
  };
}
