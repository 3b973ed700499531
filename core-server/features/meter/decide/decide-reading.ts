import type { CounterReading, Wheel } from '../counter-reading.js';
import type { KnownMeter } from '../known-meter.js';
import { calibrated, logit } from '../probability.js';
import type { Hypothesis, Marks } from '../read/hypothesis.js';
import { alongCounter, gapsOf, medianOf, wheelQuads, wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';
import { type Choice, chooseReadings, rowOf, shownAlone } from './choose-reading.js';
import { fractionOf, pointOf } from './fraction.js';

/** A larger lead in weight, in log units, carries no more information. */
const maxLead = 5;

/** The likeliest hypothesis as a reading; null if there is nothing readable. */
export function decideReading(
  hypotheses: readonly Hypothesis[],
  rules: ReaderRules,
  known: KnownMeter = {},
): Omit<CounterReading, 'rivalled' | 'wheelBefore'> | null {
  const [best, second] = chooseReadings(hypotheses, rules, known);
  if (!best) return null;
  const { hypothesis, text } = best;
  const seen = wheelsOf(hypothesis, text);
  const row = rowOf(hypothesis, text, seen);
  const point = pointOf(fractionOf(row, rules, known), rules);
  // Where no point is set, all digits are before it.
  const afterPoint = point.fractionWheels ?? 0;
  const inNetworks = confidenceOf(best, second, afterPoint, row.marks, rules);
  const { refuse } = rules;
  if (hypothesis.legible < refuse.legible || inNetworks < refuse.confidence) return null;
  const centers = seen.map(({ center }) => center);
  const inStrips = Math.min(inNetworks, wholeProbabilityOf(best, afterPoint, isStepAtMost) / rules.fullProbability);
  const standing = standingOf(best, afterPoint, rules);
  const seenRight = inStrips * countConfidence(row.marks, centers, rules) * standing;
  const digitsConfidence = isMirrored(hypothesis) ? seenRight / 2 : seenRight;

  const alternatives = alternativesTo(text, hypothesis.readings, rules);
  const quads = wheelQuads(hypothesis.quad, centers, rules);
  const wheels: Wheel[] = seen.map(({ digit, confidence: sure }, at) => ({
    digit,
    confidence: sure,
    quad: quads[at] ?? hypothesis.quad,
    betweenPositions: alternatives.some((other) => other.text[at] !== digit),
  }));
  return { wheels, quad: hypothesis.quad, digitsConfidence, ...point, alternatives };
}

/** Calibrated probability that the wheels before the fraction are read correctly. */
function confidenceOf(
  { hypothesis, text, weight }: Choice,
  second: Choice | undefined,
  fractionWheels: number,
  marks: Marks | undefined,
  rules: ReaderRules,
): number {
  const wholeProbability = wholeProbabilityOf({ hypothesis, text }, fractionWheels);
  const lead = second ? Math.min(weight - second.weight, maxLead) : maxLead;
  const c = rules.calibration;
  return calibrated(
    c.bias +
      c.read * logit(wholeProbability) +
      c.legible * logit(hypothesis.legible) +
      c.locate * logit(hypothesis.located) +
      c.margin * lead +
      c.wheels * logit(marks ? shownAlone(marks, beforePoint(text, fractionWheels)) : wholeProbability),
  );
}

/**
 * How much of the confidence is left where what is known chose another reading than the photo shows: the probability of
 * the chosen one over that of the shown one, at most 1. If it is the number beside and likely enough to be an alternative, all
 * is left: a wheel between two numbers shows both.
 */
function standingOf(
  { hypothesis, text, outweighed = text }: Choice,
  fractionWheels: number,
  { alternativeFloor }: ReaderRules,
): number {
  const [chosen, shown] = [text, outweighed].map((each) => beforePoint(each, fractionWheels)) as [string, string];
  const probabilityOf = (each: string) => wholeProbabilityOf({ hypothesis, text: each }, fractionWheels);
  if (isStepAtMost(chosen, shown) && probabilityOf(text) >= alternativeFloor) return 1;
  return Math.min(1, probabilityOf(text) / probabilityOf(outweighed));
}

/** The digits before the point; none of a reading that has no more wheels than the fraction. */
function beforePoint(text: string, fractionWheels: number): string {
  return text.slice(0, Math.max(0, text.length - fractionWheels));
}

/** Probability by the strips of the wheels before the fraction, and of what is like them: one of the others may be between two numbers. */
function wholeProbabilityOf(
  { hypothesis, text }: Pick<Choice, 'hypothesis' | 'text'>,
  fractionWheels: number,
  isLike = (other: string, whole: string) => other === whole,
): number {
  const whole = beforePoint(text, fractionWheels);
  return [...hypothesis.readings]
    .filter(([other]) => other.length === text.length && isLike(beforePoint(other, fractionWheels), whole))
    .reduce((sum, [, probability]) => sum + probability, 0);
}

/** Whether two are the same number or one beside it, of as many wheels. */
function isStepAtMost(a: string, b: string): boolean {
  return a.length === b.length && Math.abs(Number(a) - Number(b)) <= 1;
}

/** Probability that no wheel was invented and none left out, by the marks and by where the wheels are. */
function countConfidence(marks: Marks | undefined, centers: readonly number[], rules: ReaderRules): number {
  if (!marks) return 1;
  const gaps = gapsOf(alongCounter(centers, rules));
  const isEven = Math.max(...gaps) < rules.maxGap * medianOf(gaps);
  // What is more likely a wheel than not is one.
  return Math.min(1, 2 * Math.min(...marks.wheels)) * (isEven ? 1 : 0.5);
}

/** Whether it reads better mirrored: a front camera's picture, in which many digits look like others. */
function isMirrored({ readings, mirrored }: Hypothesis): boolean {
  const all = (read: Hypothesis['readings']) => [...read.values()].reduce((sum, probability) => sum + probability, 0);
  return mirrored !== undefined && all(mirrored) > all(readings);
}

/** The plausible readings in which each wheel is at the same number or a step away, most likely first. */
export function alternativesTo(
  text: string,
  readings: Iterable<readonly [text: string, probability: number]>,
  { alternativeFloor }: ReaderRules,
) {
  return Array.from(readings, ([other, probability]) => ({ text: other, probability }))
    .filter((other) => other.probability >= alternativeFloor && isBeside(other.text, text))
    .sort((a, b) => b.probability - a.probability);
}

/** Whether another reading has every wheel at the same number or at the one before or after it. */
function isBeside(other: string, text: string): boolean {
  const isNear = (digit: string, at: number) => [0, 1, 9].includes((Number(digit) - Number(text[at]) + 10) % 10);
  return other !== text && other.length === text.length && [...other].every(isNear);
}
