import type { Face } from '../../../generated/imageanalysis/v1/face_detection.js';
import type { CropWish } from '../../image/crop.js';
import type { Box, ImageFile, ImageFormat, ImageLimits, RedactionStyle } from '../../image/picture.js';

interface FaceTaskInput {
  readonly image: ImageFile;
  /** Faces below this score do not count, 0..1. */
  readonly minScore: number;
  readonly limits: ImageLimits;
}

interface FaceTaskOutput {
  /** Size of the upright picture, pixels. */
  readonly width: number;
  readonly height: number;
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface DetectFacesInput extends FaceTaskInput {
  /** Maximum number of faces; the largest are returned. */
  readonly maxFaces: number;
  readonly crop?: CropWish | undefined;
  readonly landmarks: boolean;
  readonly attributes?: boolean;
  /** Faces of a lower quality are left out, 0..1. */
  readonly minQuality?: number | undefined;
}

export interface DetectFacesOutput extends FaceTaskOutput {
  /** Largest first. */
  readonly faces: FoundFace[];
  /** Number of faces left out because of `maxFaces`. */
  readonly omittedFaces: number;
}

/** A face as the message says it. */
export interface FoundFace extends Face {
  readonly boundingBox: Box;
}

export interface RedactFacesInput extends FaceTaskInput {
  readonly style: RedactionStyle;
  /** Room on each side that is hidden too, as a share of the box's width and height. */
  readonly margin: number;
  /** Of the result; absent: that of the picture, or JPEG. */
  readonly format?: ImageFormat | undefined;
}

export interface RedactFacesOutput extends FaceTaskOutput {
  /** The upright picture without metadata, and its format. */
  readonly file: Uint8Array;
  readonly format: ImageFormat;
  readonly faceCount: number;
}

export type FaceTasks = {
  detectFaces: { input: DetectFacesInput; output: DetectFacesOutput };
  redactFaces: { input: RedactFacesInput; output: RedactFacesOutput };
};
