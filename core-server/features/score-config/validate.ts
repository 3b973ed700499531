import type {
  GetDetectionScoreRequest,
  SetDetectionScoreRequest,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { missingField } from '../../../runtime/errors/refusal.js';
import { requireScore } from '../../common/score.js';

/**
 * Checks that company and password are present. An impossible name is treated like an unknown one:
 * both fail to authenticate.
 *
 * @throws Refusal MISSING_FIELD
 */
export function validateGetDetectionScore(request: GetDetectionScoreRequest): GetDetectionScoreRequest {
  const { company, password } = request;
  if (company === '') throw missingField('company', 'the name of a registered company');
  if (password === '') throw missingField('password', 'the password of the company');
  return { company, password };
}

/** @throws Refusal MISSING_FIELD, INVALID_SCORE */
export function validateSetDetectionScore(request: SetDetectionScoreRequest) {
  const credentials = validateGetDetectionScore(request);
  return { ...credentials, score: requireScore('detection_score', request.detectionScore) };
}
