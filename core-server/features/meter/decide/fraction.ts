import { decimalOf } from '../decimal.js';
import { agreementOf, type KnownMeter } from '../known-meter.js';
import { calibrated, logit, normalised } from '../probability.js';
import type { Marks } from '../read/hypothesis.js';
import type { ReaderRules } from '../reader-rules.js';

/** How many wheels at the end are the fraction. */
export interface Fraction {
  readonly wheels: number;
  /** Probability that it is that many, 0..1. */
  readonly sure: number;
  /** Calibrated probability that the point is there or, where it is too uncertain to be set, that there is none, 0..1. */
  readonly confidence: number;
  /** How well the reading agrees with what is known, over all positions of the point as likely as they are seen, 0..1. */
  readonly agreement: number;
}

/** A row of wheels: its digits, how red the reader finds each of them, and what is marked, if it was looked at. */
export interface SeenRow {
  readonly text: string;
  readonly red: readonly number[];
  readonly marks?: Marks | undefined;
}

/** Fractions that are not in the list of usual ones are still possible. */
const unusual = 0.01;

/** A value of more than so many times the previous one may as well be a point at the wrong place. */
const farAbove = 5n;

/**
 * The likeliest number of fraction wheels. What is marked decides; what is usual only as far as nothing can be told
 * from the marks. What the caller knows takes precedence over both, if it leaves a wheel before the fraction.
 */
export function fractionOf(row: SeenRow, rules: ReaderRules, known: KnownMeter = {}): Fraction {
  const { decimals } = known;
  const agreementAt = (fractionWheels: number) => agreementOf({ text: row.text, fractionWheels }, known);
  if (decimals !== undefined && decimals < row.text.length) {
    return { wheels: decimals, sure: 1, confidence: 1, agreement: agreementAt(decimals) };
  }
  const byColour = lengthsByColour(row.red);
  const seen = lengthsOf(row, byColour, rules);
  const agreeing = seen.map((p, wheels) => p * agreementAt(wheels));
  const agreement = agreeing.reduce((sum, p) => sum + p, 0);
  const lengths = known.previous !== undefined ? agreeing.map((p) => p / agreement) : seen;
  const top = Math.max(...lengths);
  const wheels = lengths.indexOf(top);
  // A point that only what is known puts there may as well be of another meter.
  const isMoved = (seen[wheels] ?? 0) < Math.max(...seen);
  // A hair or a pen stroke looks like a mark: the colours of the wheels must not contradict it.
  const isContradicted = (byColour[wheels] ?? 1) < rules.leastByColour;
  // More is rarely a meter's: light, paint or a frame reddened the wheel before the fraction.
  const isRare = wheels > rules.mostDecimals;
  const isDoubted = isMoved || isContradicted || isRare || isFarAbove(row.text, wheels, known);
  const most = isDoubted ? rules.fractionLikely : 1;
  const sure = Math.min(top, most);
  const { bias, length } = rules.fractionCalibration;
  const inAnswer = sure >= rules.fractionLikely ? top : (lengths[0] ?? 0);
  return { wheels, sure, confidence: Math.min(calibrated(bias + length * logit(inAnswer)), most), agreement };
}

/** How well digits agree with what is known. Where their point is only matters if amounts are to be compared. */
export function agreementOfDigits(text: string, known: KnownMeter, fractionOfThem: () => Fraction): number {
  return known.previous === undefined ? agreementOf({ text, fractionWheels: 0 }, known) : fractionOfThem().agreement;
}

/** What a reading says of its point, which is set where it is likely enough. */
export function pointOf({ wheels, sure, confidence }: Fraction, { fractionLikely, fractionSure }: ReaderRules) {
  return {
    fractionConfidence: confidence,
    fractionWheels: sure >= fractionLikely ? wheels : undefined,
    isFractionSure: sure >= fractionSure,
  };
}

/** Probability of 0, 1, 2, … fraction wheels. */
function lengthsOf({ red, marks }: SeenRow, byColour: readonly number[], rules: ReaderRules): number[] {
  // By the colours and by what is usual for this number of wheels.
  const prior = rules.fractionPrior[String(red.length)] ?? rules.fractionPrior.other;
  const usual = normalised(byColour.map((p, wheels) => p * (prior[wheels] ?? unusual)));
  if (!marks) return usual;
  const told = usual.map((p, wheels) => (marks.fraction[wheels] ?? 0) + rules.usualTrust * marks.untold * p);
  // What is left is as likely for one length as for another.
  const rest = Math.max(0, 1 - told.reduce((sum, p) => sum + p, 0)) / told.length;
  return told.map((p) => p + rest);
}

/** The same by the reader's colours alone, in which it has also learned which place is red. */
function lengthsByColour(red: readonly number[]): number[] {
  const lengths = Array.from({ length: Math.max(1, red.length - 1) }, (_, wheels) =>
    red.reduce((product, r, at) => product * Math.max(at >= red.length - wheels ? r : 1 - r, 1e-3), 1),
  );
  return normalised(lengths);
}

/** Whether the value is many times the previous one, and the caller has not said how much it may have risen. */
function isFarAbove(text: string, wheels: number, { previous = 0n, maxIncrease }: KnownMeter): boolean {
  return previous > 0n && maxIncrease === undefined && decimalOf(text, wheels) > previous * farAbove;
}
