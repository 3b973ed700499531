import { type Quad, sliceOf } from '../geometry.js';
import type { ReaderRules } from '../reader-rules.js';
import {
  align,
  colouredClasses,
  mergeColours,
  probabilityAt,
  type StripProbabilities,
} from './digit-ctc.js';
import { type Hypothesis, meanOf } from './hypothesis.js';

/** A wheel as seen in the strips. */
export interface SeenWheel {
  readonly digit: string;
  readonly confidence: number;
  /** Probability that it is red. */
  readonly red: number;
  /** Along the first strip, 0..1. */
  readonly center: number;
}

/** Each wheel according to the strips: averages, and its place in the first strip. */
export function wheelsOf(hypothesis: Hypothesis, text: string): SeenWheel[] {
  const digits = [...text].map(Number);
  const byStrip = hypothesis.strips.map(({ probabilities }) => {
    const merged = mergeColours(probabilities);
    return align(merged, digits).map(({ first, last }, at) => {
      const digit = digits[at] ?? 0;
      let sure = 0;
      for (let step = first; step <= last; step++) {
        sure = Math.max(sure, probabilityAt(merged, step, digit + 1));
      }
      return {
        sure,
        red: redShare(probabilities, digit, first, last),
        center: ((first + last) / 2 + 0.5) / merged.steps,
      };
    });
  });
  return [...text].map((digit, at) => ({
    digit,
    confidence: Math.min(1, meanOf(byStrip.map((wheels) => wheels[at]?.sure ?? 0))),
    red: meanOf(byStrip.map((wheels) => wheels[at]?.red ?? 0)),
    center: byStrip[0]?.[at]?.center ?? 0,
  }));
}

function redShare(
  { data }: StripProbabilities,
  digit: number,
  first: number,
  last: number,
): number {
  let black = 0;
  let red = 0;
  for (let step = first; step <= last; step++) {
    black += data[step * colouredClasses + digit + 1] ?? 0;
    red += data[step * colouredClasses + digit + 11] ?? 0;
  }
  return red / (black + red + 1e-6);
}

/** Place of each wheel: the strip's centres mapped back to the counter, one pitch wide. */
export function wheelQuads(
  quad: Quad,
  centers: readonly number[],
  { crops }: Pick<ReaderRules, 'crops'>,
): Quad[] {
  const [{ mx, sx }] = crops;
  const grown = (1 + 2 * mx) * sx;
  const x = centers.map((center) => (center - 0.5) * grown + 0.5);
  const gaps = x
    .slice(1)
    .map((at, i) => at - (x[i] ?? 0))
    .sort((a, b) => a - b);
  const half = (gaps[Math.floor(gaps.length / 2)] ?? 1) / 2;
  return x.map((at) => sliceOf(quad, at - half, at + half));
}
