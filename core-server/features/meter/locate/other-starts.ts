import type { Size } from '../../../image/picture.js';
import { angleOf, type Quad } from '../geometry.js';
import type { Hypothesis } from '../read/hypothesis.js';
import { expand } from '../read/read-strips.js';
import type { ReaderRules } from '../reader-rules.js';
import { type CounterCandidate, isSameCounter } from './locate.js';

/**
 * A candidate wider and narrower, and a picture as long as a counter as a whole: the refiner errs less often from all of
 * them than from one.
 */
export function otherStarts(
  { quad, score }: CounterCandidate,
  { width, height }: Size,
  { otherStarts: { scales, wholeFrom } }: ReaderRules,
): CounterCandidate[] {
  const whole: Quad = [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
  const scaled = scales.map((sx) => expand(quad, { mx: 0, my: 0, sx, sy: 1, dy: 0 }));
  return [...scaled, ...(width >= wholeFrom * height ? [whole] : [])].map((start) => ({ quad: start, score }));
}

/** The best of each counter in each direction, the best first. */
export function oneOfEach<T extends Pick<Hypothesis, 'quad' | 'weight'>>(
  hypotheses: readonly T[],
  rules: ReaderRules,
): T[] {
  const kept: T[] = [];
  for (const hypothesis of [...hypotheses].sort((a, b) => b.weight - a.weight)) {
    const isSame = ({ quad }: T): boolean =>
      isSameCounter(quad, hypothesis.quad, rules) && Math.cos(angleOf(quad) - angleOf(hypothesis.quad)) > 0;
    if (!kept.some(isSame)) kept.push(hypothesis);
  }
  return kept;
}
