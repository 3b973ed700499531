// The precision of responses.

/** Pixels, in hundredths: more precise than any detector. */
export function roundPixels(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Probabilities, in ten-thousandths: more precise than any calibration. */
export function roundProbability(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * Scores of faces, in millionths, like thresholds: a score taken from a response and sent back as the threshold must
 * let the same face pass, which 32-bit floats would not always do.
 */
export function roundScore(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}
