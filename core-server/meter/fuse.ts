import type { CounterReading, Wheel } from './counter-reading.js';
import { align, mergeColours, probabilityAt, type StripProbabilities } from './digit-ctc.js';
import { type Quad, centerOf, distance, sizeOf, sliceOf } from './geometry.js';
import { type Hypothesis, meanOf, rank, sigmoid, stepFrom } from './hypothesis.js';
import type { ReaderRules } from './reader-rules.js';

/** Weights nearer than this, in log units, make a second counter a rival. */
const rivalGap = 1;
const mostLead = 5;

/** The likeliest hypothesis as a reading; null where nothing readable is there. */
export function fuse(hypotheses: readonly Hypothesis[], rules: ReaderRules): CounterReading | null {
  const [best, ...others] = rank(hypotheses);
  if (!best) return null;
  const [text] = [...best.readings].reduce((a, b) => (b[1] > a[1] ? b : a));
  const seen = wheelsOf(best, text);
  const fraction = fractionOf(
    seen.map(({ red }) => red),
    rules,
  );
  const confidence = confidenceOf(best, others, text, fraction.wheels, rules);
  if (best.legible < rules.refuse.legible || confidence < rules.refuse.confidence) return null;

  const alternatives = neighboursOf(best, text).filter(
    ({ probability }) => probability >= rules.alternativeFloor,
  );
  const quads = wheelQuads(
    best.quad,
    seen.map(({ center }) => center),
    rules,
  );
  const wheels: Wheel[] = seen.map(({ digit, confidence: sure }, at) => ({
    digit,
    confidence: sure,
    quad: quads[at] ?? best.quad,
    betweenPositions: alternatives.some((other) => other.text[at] !== digit),
  }));
  return {
    wheels,
    quad: best.quad,
    confidence,
    fractionWheels: fraction.sure >= rules.fractionSure ? fraction.wheels : undefined,
    rivalled: others.some(
      (other) => best.weight - other.weight < rivalGap && isElsewhere(other.quad, best.quad),
    ),
  };
}

interface SeenWheel {
  readonly digit: string;
  readonly confidence: number;
  /** Chance that it is a red one. */
  readonly red: number;
  /** Along the first strip, 0..1. */
  readonly center: number;
}

/** What the strips say of each wheel: means, and the place in the first strip. */
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
    black += data[step * 21 + digit + 1] ?? 0;
    red += data[step * 21 + digit + 11] ?? 0;
  }
  return red / (black + red + 1e-6);
}

/** What is not in the list of usual fractions is possible all the same. */
const unusual = 0.01;

/**
 * Red wheels stand at the end: their most probable number by colour and by what is usual for so
 * many wheels, and its probability.
 */
export function fractionOf(
  red: readonly number[],
  { fractionPrior }: Pick<ReaderRules, 'fractionPrior'>,
): { wheels: number; sure: number } {
  const prior = fractionPrior[String(red.length)] ?? fractionPrior.other;
  const logs: number[] = [];
  for (let wheels = 0; wheels < Math.max(1, red.length - 1); wheels++) {
    const isRed = (at: number): boolean => at >= red.length - wheels;
    logs.push(
      red.reduce(
        (sum, r, at) => sum + Math.log(Math.max(isRed(at) ? r : 1 - r, 1e-3)),
        Math.log(prior[wheels] ?? unusual),
      ),
    );
  }
  const top = Math.max(...logs);
  const total = logs.reduce((sum, log) => sum + Math.exp(log - top), 0);
  return { wheels: logs.indexOf(top), sure: 1 / total };
}

/** Calibrated probability that the wheels before the fraction are read right. */
function confidenceOf(
  best: Hypothesis,
  others: readonly Hypothesis[],
  text: string,
  fractionWheels: number,
  rules: ReaderRules,
): number {
  const whole = text.slice(0, text.length - fractionWheels);
  const wholeProbability = [...best.readings]
    .filter(([other]) => other.length === text.length && other.startsWith(whole))
    .reduce((sum, [, probability]) => sum + probability, 0);
  // A wheel between two numbers splits the probability between readings one step apart.
  const neighbour = neighboursOf(best, text)
    .filter((other) => !other.text.startsWith(whole))
    .reduce((sum, { probability }) => sum + probability, 0);
  const [second] = others;
  const lead = second ? Math.min(best.weight - second.weight, mostLead) : mostLead;
  const c = rules.calibration;
  return sigmoid(
    c.bias +
      c.read * logit(wholeProbability) +
      c.neighbour * neighbour +
      c.legible * logit(best.legible) +
      c.counter * logit(best.counter) +
      c.locate * logit(best.located) +
      c.margin * lead,
  );
}

/** The readings one step up and down, with their probabilities. */
function neighboursOf(best: Hypothesis, text: string): { text: string; probability: number }[] {
  const digits = [...text].map(Number);
  return ([-1, 1] as const).flatMap((by) => {
    const neighbour = stepFrom(digits, by)?.join('');
    const probability = neighbour === undefined ? undefined : best.readings.get(neighbour);
    return neighbour === undefined || probability === undefined
      ? []
      : [{ text: neighbour, probability }];
  });
}

/** Place of each wheel: the strip's centres mapped back to the counter, one pitch wide. */
function wheelQuads(quad: Quad, centers: readonly number[], rules: ReaderRules): Quad[] {
  const [{ mx, sx }] = rules.crops;
  const grown = (1 + 2 * mx) * sx;
  const x = centers.map((center) => (center - 0.5) * grown + 0.5);
  const gaps = x
    .slice(1)
    .map((at, i) => at - (x[i] ?? 0))
    .sort((a, b) => a - b);
  const half = (gaps[Math.floor(gaps.length / 2)] ?? 1) / 2;
  return x.map((at) => sliceOf(quad, at - half, at + half));
}

function isElsewhere(a: Quad, b: Quad): boolean {
  return distance(centerOf(a), centerOf(b)) > sizeOf(b).width / 2;
}

function logit(probability: number): number {
  const p = Math.min(Math.max(probability, 1e-4), 1 - 1e-4);
  return Math.log(p / (1 - p));
}
