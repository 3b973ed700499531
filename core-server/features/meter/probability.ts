export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The same weights with a sum of 1; all 0 if there is nothing to share out. */
export function normalised(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total > 0 ? weight / total : 0));
}

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** Confidence is fitted on a few hundred photos, so that more cannot be claimed. */
export const mostSure = 0.9995;

/** A calibrated probability. */
export function calibrated(x: number): number {
  return Math.min(sigmoid(x), mostSure);
}

/** Of a probability, bounded: the inverse of `sigmoid`. */
export function logit(probability: number): number {
  const p = Math.min(Math.max(probability, 1e-4), 1 - 1e-4);
  return Math.log(p / (1 - p));
}

/** Log of a probability, bounded so that one network cannot rule out all others. */
export function logOf(probability: number): number {
  return Math.log(Math.max(probability, 1e-4));
}
