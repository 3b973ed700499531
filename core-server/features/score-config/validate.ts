import type {
  GetDetectionScoreRequest,
  SetDetectionScoreRequest,
} from '../../../generated/imageanalysis/v1/score_config.js';
import { missingField } from '../../../runtime/errors/refusal.js';
import { scoreRule, validateScore } from '../../common/score.js';

/** A company and the password that was sent for it. */
export interface Credentials {
  readonly company: string;
  readonly password: string;
}

/**
 * Checks that company and password are present. An impossible name is treated like an unknown one:
 * both fail to authenticate.
 *
 * @throws Refusal MISSING_FIELD
 */
export function validateGetDetectionScore(request: GetDetectionScoreRequest): Credentials {
  const { company, password } = request;
  if (company === '') throw missingField('company', 'the name of a registered company');
  if (password === '') throw missingField('password', 'the password of the company');
  return { company, password };
}

/** @throws Refusal MISSING_FIELD, INVALID_SCORE */
export function validateSetDetectionScore(request: SetDetectionScoreRequest): Credentials & { readonly score: number } {
  const credentials = validateGetDetectionScore(request);
  if (request.detectionScore === undefined) throw missingField('detection_score', scoreRule);
  return { ...credentials, score: validateScore('detection_score', request.detectionScore) };
}
