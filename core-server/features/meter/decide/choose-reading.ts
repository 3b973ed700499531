import type { KnownMeter } from '../known-meter.js';
import { logOf } from '../probability.js';
import type { Hypothesis, Marks } from '../read/hypothesis.js';
import { type SeenWheel, wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';
import { agreementOfDigits, fractionOf, type SeenRow } from './fraction.js';

export interface Choice {
  readonly hypothesis: Hypothesis;
  /** Its likeliest reading, one that the networks proposed. */
  readonly text: string;
  /** Of the reading that is the likeliest by the strips and what is known: less if that contradicts it. */
  readonly probability: number;
  /** The reading that the photo shows, if what is known outweighed it. */
  readonly outweighed: string | undefined;
  /** Log score for comparing places. */
  readonly weight: number;
}

/** The likeliest reading of each place that has one, by the networks and what is known; the likeliest place first. */
export function chooseReadings(hypotheses: readonly Hypothesis[], rules: ReaderRules, known: KnownMeter): Choice[] {
  return hypotheses
    .filter(({ readings }) => readings.size > 0)
    .map((hypothesis) => chooseReading(hypothesis, rules, known))
    .sort((a, b) => b.weight - a.weight);
}

function chooseReading(hypothesis: Hypothesis, rules: ReaderRules, known: KnownMeter): Choice {
  const seen = [...hypothesis.readings];
  const judged = seen.map(([text, probability]): [string, number] => {
    const fraction = () => fractionOf(rowOf(hypothesis, text, wheelsOf(hypothesis, text)), rules, known);
    return [text, probability * agreementOfDigits(text, known, fraction)];
  });
  const withAlone = (readings: readonly [string, number][]) =>
    likeliest(readings.map(([text, p]) => [text, p * weightAlone(hypothesis, text, rules)]));
  const [text] = withAlone(judged);
  const [shown] = withAlone(seen);
  const outweighed = text === shown ? undefined : shown;
  // What the wheels show alone tells readings of a place apart, but makes no place likelier: only one is looked at so.
  const [[, maxSeen], [, probability]] = [likeliest(seen), likeliest(judged)];
  const change = rules.weights.read * (logOf(probability) - logOf(maxSeen));
  return { hypothesis, text, probability, outweighed, weight: hypothesis.weight + change };
}

/** The first of the likeliest. */
function likeliest(readings: readonly [string, number][]): [string, number] {
  return readings.reduce((a, b) => (b[1] > a[1] ? b : a));
}

/** What the wheels show one by one, where they were looked at: it says nothing for readings of more or fewer wheels. */
function weightAlone(hypothesis: Hypothesis, text: string, { aloneWeight }: ReaderRules): number {
  if (!hypothesis.marks) return 1;
  const marks = marksFor(hypothesis, text);
  return marks ? (shownAlone(marks, text) + unlikely) ** aloneWeight : 0;
}

/** So that a single wheel rules out no reading. */
const unlikely = 1e-6;

/** Probability that the first wheels, each looked at alone, show these digits. */
export function shownAlone({ digits }: Marks, text: string): number {
  return [...text].reduce((product, digit, at) => product * (digits[at]?.[Number(digit)] ?? 0), 1);
}

/** The marks of a place, which hold for readings of as many wheels. */
export function marksFor({ marks }: Pick<Hypothesis, 'marks'>, text: string): Marks | undefined {
  return marks?.wheels.length === text.length ? marks : undefined;
}

/** The wheels of a reading with their marks. */
export function rowOf(hypothesis: Hypothesis, text: string, wheels: readonly Pick<SeenWheel, 'red'>[]): SeenRow {
  return { text, red: wheels.map(({ red }) => red), marks: marksFor(hypothesis, text) };
}
