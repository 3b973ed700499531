import type { FaceAttributes } from '../../../generated/imageanalysis/v1/face_detection.js';
import { roundPixels } from '../../common/precision.js';
import { middleOf } from '../../image/align.js';
import type { Box, Point, RgbPicture, Size } from '../../image/picture.js';

/** Faces are measured in a copy of this size, so that a small one counts as blurred, which it is once enlarged. */
export const measuredSize: Size = { width: 112, height: 112 };

/** How far the nose tip lies in front of eyes and mouth, as a share of the distance between the eyes: half of it. */
const noseDepth = 0.5;
/** Of the line from the eyes to the mouth, the share at which a face that looks straight ahead has the nose tip. */
const noseHeight = 0.5;
/** From the eyes to the mouth, over the distance between the eyes, of a face that looks straight ahead. */
const eyesToMouth = 1.15;
/** Fine detail of a sharp face, as a share of its contrast. */
const sharpDetail = 0.12;
/** A face with its eyes this far apart has all the detail that the usual crop of 112 pixels shows. */
const ampleEyeDistance = 35;
/** Deviation of the luminance from which on more contrast does not help. */
const ampleContrast = 0.12;
/** A face this close to the edge, as a share of its box, may be cut: boxes of cut faces end that far from it. */
const nearEdge = 0.05;

const degrees = 180 / Math.PI;
const share = (value: number): number => Math.min(1, Math.max(0, value));

/** @param face its box lies inside the picture of this size @param pixels the box at `measuredSize` */
export function measureFace(
  face: { readonly box: Box; readonly landmarks: readonly Point[] },
  size: Size,
  pixels: RgbPicture,
): FaceAttributes {
  const exact = { ...poseOf(face.landmarks), ...lookOf(pixels), isCut: touchesEdge(face.box, size) };
  return {
    roll: tenths(exact.roll),
    yaw: tenths(exact.yaw),
    pitch: tenths(exact.pitch),
    sharpness: thousandths(exact.sharpness),
    brightness: thousandths(exact.brightness),
    contrast: thousandths(exact.contrast),
    interEyeDistance: roundPixels(exact.interEyeDistance),
    isCut: exact.isCut,
    quality: thousandths(qualityOf(exact)),
  };
}

/**
 * Angles by ISO/IEC 39794-5 (as in ANSI/NIST-ITL 1, field 10.025): yaw is positive for a face that looks to the
 * person's left, pitch for one that looks down, roll for one that leans to the person's right shoulder.
 *
 * Under weak perspective, the nose tip, which lies in front of the plane of eyes and mouth, moves by its depth times
 * the sine of the angle, while the plane shrinks by the cosine: their ratio is the tangent.
 */
export function poseOf(
  landmarks: readonly Point[],
): Pick<FaceAttributes, 'roll' | 'yaw' | 'pitch' | 'interEyeDistance'> {
  const [rightEye, leftEye, nose, rightMouth, leftMouth] = landmarks as [Point, Point, Point, Point, Point];
  const eyes = middleOf([rightEye, leftEye]);
  const mouth = middleOf([rightMouth, leftMouth]);
  // In profile, the eyes coincide and their line says little: the line across the mouth, and the one down, help.
  const across = {
    x: leftEye.x - rightEye.x + leftMouth.x - rightMouth.x + (mouth.y - eyes.y),
    y: leftEye.y - rightEye.y + leftMouth.y - rightMouth.y - (mouth.x - eyes.x),
  };
  const roll = Math.atan2(-across.y, across.x);
  /** Of the upright face: x to its left, y down. */
  const upright = ({ x, y }: Point): Point => ({
    x: (x - eyes.x) * Math.cos(roll) - (y - eyes.y) * Math.sin(roll),
    y: (x - eyes.x) * Math.sin(roll) + (y - eyes.y) * Math.cos(roll),
  });
  const [right, left, tip, chin] = [rightEye, leftEye, nose, mouth].map(upright) as [Point, Point, Point, Point];
  const width = Math.max(0, left.x - right.x);
  const height = Math.max(0, chin.y);
  const sideways = tip.x - noseHeight * chin.x;
  const downwards = tip.y - noseHeight * chin.y;
  return {
    roll: roll * degrees,
    yaw: Math.atan2(sideways, noseDepth * width) * degrees,
    pitch: Math.atan2(downwards, (noseDepth / eyesToMouth) * height) * degrees,
    interEyeDistance: Math.hypot(leftEye.x - rightEye.x, leftEye.y - rightEye.y),
  };
}

/**
 * Luminance (Rec. 601) of the face: brightness is its mean, contrast its standard deviation (the "luminance mean" and
 * "luminance variance" of ISO/IEC 29794-5), both of 255. Sharpness is the mean distance of a pixel from the mean of its
 * 3 x 3 neighbours (ISO/IEC TR 29794-5:2010), as a share of the contrast, so that a flat light does not count as blur.
 */
function lookOf({ data, width, height }: RgbPicture): Pick<FaceAttributes, 'sharpness' | 'brightness' | 'contrast'> {
  const grey = new Float64Array(width * height);
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < grey.length; i++) {
    const [r = 0, g = 0, b = 0] = data.subarray(i * 3, i * 3 + 3);
    const value = (0.299 * r + 0.587 * g + 0.114 * b) / 255;
    grey[i] = value;
    sum += value;
    squares += value * value;
  }
  const brightness = sum / grey.length;
  const contrast = Math.sqrt(Math.max(0, squares / grey.length - brightness ** 2));
  let detail = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      let around = 0;
      for (let row = y - 1; row <= y + 1; row++) {
        const at = row * width + x;
        around += (grey[at - 1] ?? 0) + (grey[at] ?? 0) + (grey[at + 1] ?? 0);
      }
      detail += Math.abs((grey[y * width + x] ?? 0) - around / 9);
    }
  }
  const meanDetail = detail / ((width - 2) * (height - 2));
  const sharpness = contrast > 0 ? share(meanDetail / contrast / sharpDetail) : 0;
  return { sharpness, brightness, contrast };
}

function touchesEdge({ xmin, ymin, xmax, ymax }: Box, { width, height }: Size): boolean {
  const atSide = Math.max(1, nearEdge * (xmax - xmin));
  const atEnd = Math.max(1, nearEdge * (ymax - ymin));
  return xmin < atSide || ymin < atEnd || xmax > width - atSide || ymax > height - atEnd;
}

/** The product of its parts, each 1 where it does no harm. Roll does none: crops can be turned. */
function qualityOf(face: Omit<FaceAttributes, 'roll' | 'quality'>): number {
  const pose = Math.max(0, Math.cos(face.yaw / degrees) * Math.cos(face.pitch / degrees));
  const size = share(face.interEyeDistance / ampleEyeDistance);
  const light = share(Math.min(face.brightness / 0.2, (1 - face.brightness) / 0.2));
  const contrast = share(face.contrast / ampleContrast);
  return face.sharpness * pose * size * light * contrast * (face.isCut ? 0.5 : 1);
}

const tenths = (value: number): number => Math.round(value * 10) / 10 || 0;
const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
