import { agreementOf, type KnownMeter } from '../known-meter.js';
import { type Hypothesis, logOf } from '../read/hypothesis.js';
import { wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';
import { fractionOf, wheelsFrom } from './fraction.js';

/** The reading of a place. */
export interface Choice {
  readonly hypothesis: Hypothesis;
  /** Its likeliest reading, one that the networks proposed. */
  readonly text: string;
  /** Its probability according to the reading network, reduced if it contradicts what is known. */
  readonly probability: number;
  /** Log score for comparing places. */
  readonly weight: number;
}

/**
 * The likeliest reading of each place that holds one, by the networks and by what is known of the
 * meter; the likeliest place first.
 */
export function chooseReadings(
  hypotheses: readonly Hypothesis[],
  rules: ReaderRules,
  known: KnownMeter,
): Choice[] {
  return hypotheses
    .filter(({ readings }) => readings.size > 0)
    .map((hypothesis) => chooseReading(hypothesis, rules, known))
    .sort((a, b) => b.weight - a.weight);
}

function chooseReading(hypothesis: Hypothesis, rules: ReaderRules, known: KnownMeter): Choice {
  const seen = [...hypothesis.readings];
  const judged = seen.map(([text, probability]): [string, number] => {
    // The colours of every reading only matter if amounts are to be compared.
    const fractionWheels =
      known.previous &&
      wheelsFrom(readFraction(hypothesis, text, rules, known), rules.fractionSure);
    return [text, probability * agreementOf({ text, fractionWheels }, known)];
  });
  const [text, likely] = judged.reduce((a, b) => (b[1] > a[1] ? b : a));
  const maxSeen = Math.max(...seen.map(([, probability]) => probability));
  const change = rules.weights.read * (logOf(likely) - logOf(maxSeen));
  return { hypothesis, text, probability: likely, weight: hypothesis.weight + change };
}

function readFraction(hypothesis: Hypothesis, text: string, rules: ReaderRules, known: KnownMeter) {
  const red = wheelsOf(hypothesis, text).map((wheel) => wheel.red);
  return fractionOf(red, rules, known.decimals);
}
