import type { Alternative, CounterReading, Wheel } from '../counter-reading.js';
import type { KnownMeter } from '../known-meter.js';
import { type Hypothesis, sigmoid, stepFrom } from '../read/hypothesis.js';
import { wheelQuads, wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';
import { type Choice, chooseReadings } from './choose-reading.js';
import { fractionOf, wheelsFrom } from './fraction.js';

/** A larger lead in weight, in log units, carries no more information. */
const maxLead = 5;

/** The likeliest hypothesis as a reading; null if there is nothing readable. */
export function fuse(
  hypotheses: readonly Hypothesis[],
  rules: ReaderRules,
  known: KnownMeter = {},
): Omit<CounterReading, 'rivalled'> | null {
  const [best, second] = chooseReadings(hypotheses, rules, known);
  if (!best) return null;
  const { hypothesis, text } = best;
  const seen = wheelsOf(hypothesis, text);
  const fraction = fractionOf(
    seen.map(({ red }) => red),
    rules,
    known.decimals,
  );
  const confidence = confidenceOf(best, second, fraction.wheels, rules);
  const { refuse } = rules;
  if (hypothesis.legible < refuse.legible || confidence < refuse.confidence) return null;

  const alternatives = neighboursOf(best)
    .filter(({ probability }) => probability >= rules.alternativeFloor)
    .sort((a, b) => b.probability - a.probability);
  const quads = wheelQuads(
    hypothesis.quad,
    seen.map(({ center }) => center),
    rules,
  );
  const wheels: Wheel[] = seen.map(({ digit, confidence: sure }, at) => ({
    digit,
    confidence: sure,
    quad: quads[at] ?? hypothesis.quad,
    betweenPositions: alternatives.some((other) => other.text[at] !== digit),
  }));
  return {
    wheels,
    quad: hypothesis.quad,
    confidence,
    fractionWheels: wheelsFrom(fraction, rules.fractionLikely),
    isFractionSure: fraction.sure >= rules.fractionSure,
    alternatives,
  };
}

/** Calibrated probability that the wheels before the fraction are read correctly. */
function confidenceOf(
  best: Choice,
  second: Choice | undefined,
  fractionWheels: number,
  rules: ReaderRules,
): number {
  const { hypothesis, text } = best;
  const whole = text.slice(0, text.length - fractionWheels);
  const wholeProbability = [...hypothesis.readings]
    .filter(([other]) => other.length === text.length && other.startsWith(whole))
    .reduce((sum, [, probability]) => sum + probability, 0);
  // A wheel between two numbers splits the probability between readings one step apart.
  const neighbour = neighboursOf(best)
    .filter((other) => !other.text.startsWith(whole))
    .reduce((sum, { probability }) => sum + probability, 0);
  const lead = second ? Math.min(best.weight - second.weight, maxLead) : maxLead;
  const c = rules.calibration;
  return sigmoid(
    c.bias +
      c.read * logit(wholeProbability) +
      c.neighbour * neighbour +
      c.legible * logit(hypothesis.legible) +
      c.counter * logit(hypothesis.counter) +
      c.locate * logit(hypothesis.located) +
      c.margin * lead,
  );
}

/** The readings one step up and down, with their probabilities. */
function neighboursOf({ hypothesis, text }: Choice): Alternative[] {
  const digits = [...text].map(Number);
  return ([-1, 1] as const).flatMap((by) => {
    const neighbour = stepFrom(digits, by)?.join('');
    const probability = neighbour === undefined ? undefined : hypothesis.readings.get(neighbour);
    return neighbour === undefined || probability === undefined
      ? []
      : [{ text: neighbour, probability }];
  });
}

function logit(probability: number): number {
  const p = Math.min(Math.max(probability, 1e-4), 1 - 1e-4);
  return Math.log(p / (1 - p));
}
