import { invalidField, missingField } from '../../runtime/errors/refusal.js';

/** What a score or a threshold has to be, in words. */
export const scoreRule = 'a number from 0 to 1 with at most 6 decimals';

/**
 * A score or a threshold that was sent: 0 to 1 with at most 6 decimals, and no negative zero.
 *
 * @throws Refusal INVALID_SCORE naming `field`
 */
export function validateScore(field: string, score: number): number {
  // A double has at most 6 decimals if rounding it to 6 gives the same double.
  const isShort = Number(score.toFixed(6)) === score;
  if (score >= 0 && score <= 1 && isShort && !Object.is(score, -0)) return score;
  throw invalidField(field, Object.is(score, -0) ? '-0' : String(score), scoreRule, 'INVALID_SCORE');
}

/** The same for one that has to be sent. @throws Refusal MISSING_FIELD, INVALID_SCORE */
export function requireScore(field: string, score: number | undefined): number {
  if (score === undefined) throw missingField(field, scoreRule);
  return validateScore(field, score);
}
