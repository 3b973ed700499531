import {
  type Threshold,
  ThresholdSource,
} from '../../../generated/imageanalysis/v1/face_detection.js';

/** The scores that may be the threshold of a detection, each 0..1. */
export interface ThresholdCandidates {
  /** `min_score` of the request. */
  readonly request?: number | undefined;
  /** The company's configured score. */
  readonly company?: number | undefined;
  /** The default score of the service. */
  readonly default: number;
}

/** The threshold of a detection: the request's beats the company's, which beats the default. */
export function resolveThreshold(candidates: ThresholdCandidates): Threshold {
  if (candidates.request !== undefined) {
    return { value: candidates.request, source: ThresholdSource.REQUEST };
  }
  if (candidates.company !== undefined) {
    return { value: candidates.company, source: ThresholdSource.COMPANY };
  }
  return { value: candidates.default, source: ThresholdSource.DEFAULT };
}
