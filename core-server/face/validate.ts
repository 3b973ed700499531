import { refuse } from '../../runtime/refusal.js';

const mostFaces = 1000;

/** Throws INVALID_SCORE unless a request's threshold is absent or 0..1. */
export function validateMinScore(minScore: number | undefined): void {
  if (minScore === undefined || (minScore >= 0 && minScore <= 1)) return; // NaN is neither
  throw refuse('INVALID_SCORE', `min_score is ${minScore}, want a number from 0 to 1`, {
    details: { field: 'min_score', value: String(minScore) },
  });
}

/** The requested number of faces. Throws INVALID_FIELD outside 1..1000. */
export function validateMaxFaces(maxFaces: number | undefined): number {
  if (maxFaces === undefined) return mostFaces;
  if (Number.isInteger(maxFaces) && maxFaces >= 1 && maxFaces <= mostFaces) return maxFaces;
  throw refuse(
    'INVALID_FIELD',
    `max_faces is ${maxFaces}, want a whole number from 1 to ${mostFaces}`,
    { details: { field: 'max_faces', value: String(maxFaces), limit: String(mostFaces) } },
  );
}
