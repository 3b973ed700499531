// On 13 training photos whose red wheels were read right the step was 0.07 to 0.33, or too small
// to be told from the noise of the black wheels.
const minStep = 0.05;
const maxRedWheels = 4;
/** Counters of so few wheels have no fraction on any training photo. */
const fewWheels = 5;

/**
 * How many wheels at the end are red: where the reddest wheel before and the least red wheel after
 * are farthest apart. Undefined where no step is seen on a counter that may have one.
 *
 * @param redness of each wheel from left to right (see `rednessAt`)
 */
export function countRedWheels(redness: readonly number[]): number | undefined {
  let best = { count: 0, step: minStep };
  for (let count = 1; count <= Math.min(maxRedWheels, redness.length - 1); count++) {
    const step = Math.min(...redness.slice(-count)) - Math.max(...redness.slice(0, -count));
    if (step > best.step) best = { count, step };
  }
  if (best.count > 0) return best.count;
  return redness.length <= fewWheels ? 0 : undefined;
}
