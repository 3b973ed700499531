import type {
  GetDetectionScoreRequest,
  SetDetectionScoreRequest,
} from '../../generated/imageanalysis/v1/score_config.js';
import { missingField, refuse } from '../../runtime/refusal.js';

/** A company and the password that was sent for it. */
export interface Credentials {
  readonly company: string;
  readonly password: string;
}

/**
 * Whether company and password are there. A name that no company can have is not told apart from
 * an unknown one: both fail to authenticate.
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
export function validateSetDetectionScore(
  request: SetDetectionScoreRequest,
): Credentials & { readonly score: number } {
  const credentials = validateGetDetectionScore(request);
  if (request.detectionScore === undefined) throw missingField('detection_score', scoreRule);
  return { ...credentials, score: validateScore('detection_score', request.detectionScore) };
}

/**
 * A score as it may be stored: 0 to 1 with at most 6 decimals, and no negative zero.
 *
 * @throws Refusal INVALID_SCORE naming `field`
 */
export function validateScore(field: string, score: number): number {
  // A double has at most 6 decimals if it is the double nearest to what it reads rounded to 6.
  const isShort = Number(score.toFixed(6)) === score;
  if (score >= 0 && score <= 1 && isShort && !Object.is(score, -0)) return score;
  const value = Object.is(score, -0) ? '-0' : String(score);
  throw refuse('INVALID_SCORE', `${field} is "${value}", want ${scoreRule}`, {
    details: { field, value },
  });
}

const scoreRule = 'a number from 0 to 1 with at most 6 decimals';
