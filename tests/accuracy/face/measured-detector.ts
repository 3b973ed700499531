import type { Point } from '../../../core-server/image/picture.js';
import type { FoundFace } from './detection-metrics.js';

/** A face with what only some detectors give. */
export interface FoundFaceWithPoints extends FoundFace {
  readonly landmarks?: readonly Point[] | undefined;
}

/** A detector as `eval-face` measures it. */
export interface MeasuredDetector {
  readonly name: string;
  readonly defaultScore: number;
  /** Faces in pixels of the upright picture, with landmarks on request, and processor time of the networks alone, ms. */
  detect(
    image: Uint8Array,
    minScore: number,
    landmarks?: boolean,
  ): Promise<{ faces: readonly FoundFaceWithPoints[]; inferenceMs: number }>;
  release(): Promise<void>;
}
