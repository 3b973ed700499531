// The precision of responses.

/** Pixels, in hundredths: more precise than any detector. */
export function roundPixels(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Probabilities, in ten-thousandths: more precise than any calibration. */
export function roundProbability(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
