import { centerOf, isOn, type Quad } from '../geometry.js';
import type { Hypothesis } from '../read/hypothesis.js';
import type { ReaderRules } from '../reader-rules.js';

/** A place whose likeliest reading is less likely than this is not another counter. An estimate. */
const minReading = 0.5;

/** Whether a place beside the counter reads as one too. */
export function isRivalled(
  counter: Quad,
  places: readonly Pick<Hypothesis, 'quad' | 'legible' | 'readings'>[],
  { refuse }: Pick<ReaderRules, 'refuse'>,
): boolean {
  return places.some(
    ({ quad, legible, readings }) =>
      legible >= refuse.legible && Math.max(0, ...readings.values()) >= minReading && !isOn(counter, centerOf(quad)),
  );
}
