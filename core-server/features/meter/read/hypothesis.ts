import { angleOf, type Quad } from '../geometry.js';
import { logOf, meanOf, sigmoid } from '../probability.js';
import type { ReaderRules } from '../reader-rules.js';
import { bestPath, type Digits, likelihood, probabilityAt, type StripProbabilities } from './digit-ctc.js';

export interface ReadStrip extends StripProbabilities {
  /** Probability that it shows a counter, upright. */
  readonly legible: number;
}

/** A place that may be a counter, in one reading direction. */
export interface Place {
  readonly quad: Quad;
  /** Probabilities by the locator, by the refiner, and by the refiner that the direction is right. */
  readonly located: number;
  readonly counter: number;
  readonly agrees: number;
}

/** What the mark network sees at the wheels of a counter; probabilities, 0..1. */
export interface Marks {
  /** That there are 0, 1, 2, … wheels after the decimal point. */
  readonly fraction: readonly number[];
  /** That this cannot be told from the picture. */
  readonly untold: number;
  /** That each wheel is one, from left to right. */
  readonly wheels: readonly number[];
  /** That each wheel, looked at alone, shows 0, 1, … 9. */
  readonly digits: readonly ArrayLike<number>[];
}

export interface Hypothesis extends Place {
  readonly strips: readonly ReadStrip[];
  /** Mean over the strips. */
  readonly legible: number;
  /** Probability of each plausible reading, averaged over the strips. */
  readonly readings: ReadonlyMap<string, number>;
  /** The same of its first strip mirrored, where that was read. */
  readonly mirrored?: ReadonlyMap<string, number> | undefined;
  /** Log score for comparing hypotheses. */
  readonly weight: number;
  /** Of its wheels, where they were looked at. */
  readonly marks?: Marks | undefined;
}

/** Weighs the evidence in the strips of a place. */
export function judgePlace(place: Place, strips: readonly ReadStrip[], rules: ReaderRules): Hypothesis {
  const legible = meanOf(strips.map((strip) => strip.legible));
  const readings = readingsOf(strips, rules);
  const w = rules.weights;
  const upright = sigmoid(rules.uprightSteepness * Math.cos(angleOf(place.quad)));
  const weight =
    w.read * logOf(Math.max(0, ...readings.values())) +
    w.legible * logOf(legible) +
    w.counter * logOf(place.counter) +
    w.turn * logOf(place.agrees) +
    w.locate * logOf(place.located) +
    w.upright * logOf(upright);
  return { ...place, strips, legible, readings, weight };
}

/** The reading one step up or down, of as many wheels; undefined beyond 00…0 and 99…9. */
export function stepFrom(digits: Digits, by: 1 | -1): number[] | undefined {
  const next = BigInt(digits.join('')) + BigInt(by);
  const text = String(next).padStart(digits.length, '0');
  return next < 0n || text.length > digits.length ? undefined : [...text].map(Number);
}

function readingsOf(strips: readonly StripProbabilities[], rules: ReaderRules): Map<string, number> {
  const found = new Map<string, Digits>();
  for (const strip of strips) {
    for (const digits of proposalsOf(strip, rules.substitutionFloor)) {
      if (digits.length >= rules.minDigits) found.set(digits.join(''), digits);
    }
  }
  return new Map([...found].map(([text, digits]) => [text, meanOf(strips.map((strip) => likelihood(strip, digits)))]));
}

const maxSubstitutions = 3;

/** Readings worth scoring: the best path, its likely substitutions, one step up and down (carries). */
function proposalsOf(strip: StripProbabilities, floor: number): Digits[] {
  const path = bestPath(strip);
  if (path.length === 0) return [];
  const digits = path.map(({ digit }) => digit);
  const substitutions = path
    .map(({ digit, step }, at) => ({ at, ...secondBest(strip, step, digit) }))
    .filter(({ probability }) => probability >= floor)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, maxSubstitutions)
    .map(({ at, digit }) => digits.with(at, digit));
  const steps = [stepFrom(digits, -1), stepFrom(digits, 1)].filter((step) => step !== undefined);
  return [digits, ...substitutions, ...steps];
}

/** The likeliest other digit at a step or right beside it. */
function secondBest(strip: StripProbabilities, step: number, taken: number): { digit: number; probability: number } {
  let best = { digit: 0, probability: -1 };
  for (let digit = 0; digit <= 9; digit++) {
    if (digit === taken) continue;
    for (let t = Math.max(0, step - 1); t <= Math.min(strip.steps - 1, step + 1); t++) {
      const probability = probabilityAt(strip, t, digit + 1);
      if (probability > best.probability) best = { digit, probability };
    }
  }
  return best;
}
