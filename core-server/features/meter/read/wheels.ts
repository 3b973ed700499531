import { type Quad, sliceOf } from '../geometry.js';
import { meanOf } from '../probability.js';
import type { ReaderRules } from '../reader-rules.js';
import { align, colouredClasses, probabilityAt, type StripProbabilities } from './digit-ctc.js';
import type { Hypothesis } from './hypothesis.js';

export interface SeenWheel {
  readonly digit: string;
  readonly confidence: number;
  /** Probability that it is red. */
  readonly red: number;
  /** Along the first strip, 0..1. */
  readonly center: number;
}

/** Each wheel according to the strips: averages, and its place in the first strip. */
export function wheelsOf(hypothesis: Pick<Hypothesis, 'strips'>, text: string): SeenWheel[] {
  const digits = [...text].map(Number);
  const byStrip = hypothesis.strips.map((strip) => wheelsOn(strip, digits));
  return [...text].map((digit, at) => ({
    digit,
    confidence: Math.min(1, meanOf(byStrip.map((wheels) => wheels[at]?.confidence ?? 0))),
    red: meanOf(byStrip.map((wheels) => wheels[at]?.red ?? 0)),
    center: byStrip[0]?.[at]?.center ?? 0,
  }));
}

/** The same on one strip. */
function wheelsOn(strip: StripProbabilities, digits: readonly number[]): Omit<SeenWheel, 'digit'>[] {
  const wheels = [];
  for (const [at, { first, last }] of align(strip, digits).entries()) {
    const digit = digits[at] ?? 0;
    let confidence = 0;
    for (let step = first; step <= last; step++) {
      confidence = Math.max(confidence, probabilityAt(strip, step, digit + 1));
    }
    const center = ((first + last) / 2 + 0.5) / strip.steps;
    wheels.push({ confidence, red: redShare(strip, digit, first, last), center });
  }
  return wheels;
}

function redShare({ data }: StripProbabilities, digit: number, first: number, last: number): number {
  let black = 0;
  let red = 0;
  for (let step = first; step <= last; step++) {
    black += data[step * colouredClasses + digit + 1] ?? 0;
    red += data[step * colouredClasses + digit + 11] ?? 0;
  }
  return red / (black + red + 1e-6);
}

/** Place of each wheel: the strip's centres mapped back to the counter, one pitch wide. */
export function wheelQuads(quad: Quad, centers: readonly number[], rules: ReaderRules): Quad[] {
  const x = evenly(alongCounter(centers, rules));
  const half = (medianOf(gapsOf(x)) || 1) / 2;
  return x.map((at) => sliceOf(quad, at - half, at + half));
}

/** A wheel further from its place than this share of the pitch is not one of an even row. */
const maxOff = 0.35;

/** The same centres at one pitch, which steps of the strip only approximate; as they are if one is far from that. */
function evenly(x: readonly number[]): readonly number[] {
  if (x.length < 3) return x;
  const middle = (x.length - 1) / 2;
  const mean = meanOf(x);
  const pitch =
    x.reduce((sum, at, i) => sum + (i - middle) * (at - mean), 0) / x.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const even = x.map((_, i) => mean + (i - middle) * pitch);
  return even.every((at, i) => Math.abs(at - (x[i] ?? at)) < maxOff * pitch) ? even : x;
}

/** Centres on the first strip as shares of the counter's width. */
export function alongCounter(centers: readonly number[], { crops: [{ mx, sx }] }: ReaderRules): number[] {
  const grown = (1 + 2 * mx) * sx;
  return centers.map((center) => (center - 0.5) * grown + 0.5);
}

/** Distances between neighbours. */
export function gapsOf(x: readonly number[]): number[] {
  return x.slice(1).map((at, i) => at - (x[i] ?? 0));
}

/** The middle one, the upper of two; NaN of none. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
