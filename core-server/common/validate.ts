import { invalidField, missingField, refuseField } from '../../runtime/errors/refusal.js';

/** What a score, a threshold or another share has to be, in words. */
export const scoreRule = 'a number from 0 to 1 with at most 6 decimals';

// A double has at most 6 decimals if rounding it to 6 gives the same double.
const isShare = (value: number): boolean => value >= 0 && value <= 1 && Number(value.toFixed(6)) === value;

/** A score or a threshold, -0 as 0. @throws Refusal INVALID_SCORE naming `field` */
export function validateScore(field: string, score: number | undefined): number | undefined {
  if (score === undefined) return undefined;
  if (isShare(score)) return Math.abs(score);
  throw invalidField(field, String(score), scoreRule, 'INVALID_SCORE');
}

/** The same for one that has to be sent. @throws Refusal MISSING_FIELD, INVALID_SCORE */
export function requireScore(field: string, score: number | undefined): number {
  const valid = validateScore(field, score);
  if (valid === undefined) throw missingField(field, scoreRule);
  return valid;
}

/** A part of something. @throws Refusal INVALID_FIELD outside 0..1 or with more than 6 decimals */
export function validateShare(field: string, value: number | undefined): number | undefined {
  if (value === undefined || isShare(value)) return value;
  throw outOfRange(field, value, scoreRule, 0, 1);
}

/** @throws Refusal INVALID_FIELD for what is not whole, less or more */
export function validateWhole(
  field: string,
  value: number | undefined,
  least: number,
  most: number,
): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return value;
  throw outOfRange(field, value, `a whole number from ${least} to ${most}`, least, most);
}

function outOfRange(field: string, value: number, wish: string, least: number, most: number): Error {
  const limit = value < least ? least : most;
  return refuseField('INVALID_FIELD', field, `is ${value}, want ${wish}`, { value, limit });
}

/** One of several words, undefined where none is given. @throws Refusal INVALID_FIELD for any other */
export function validateChoice<Word extends string>(
  field: string,
  value: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (!value) return undefined;
  const known = words.find((word) => word === value);
  if (known === undefined) throw invalidField(field, value, `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  return known;
}
