// How finely answers tell what networks say.

/** Pixels, in hundredths: finer than any detector is right. */
export function roundPixels(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Probabilities, in ten-thousandths: finer than any calibration is right. */
export function roundProbability(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
