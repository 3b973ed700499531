import type { CounterReading, SeenCounter } from '../counter-reading.js';
import { type Fraction, fractionOf, normalised, wheelsFrom } from '../fuse/fraction.js';
import { alternativesTo } from '../fuse/fuse.js';
import { agreementOf, type KnownMeter } from '../known-meter.js';
import { type DigitProbabilities, likelihood, mergeColours } from '../read/digit-ctc.js';
import { type Marks, meanOf } from '../read/hypothesis.js';
import { wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';

interface FusedCounter {
  readonly counter: CounterReading;
  /** The photo that says most for it; the places of `counter` are in that one. */
  readonly best: number;
  /** Whether each photo speaks for the digits before the fraction. */
  readonly agrees: readonly boolean[];
  /** Whether a photo may be of another counter, or too many contradict the reading. */
  readonly disagree: boolean;
}

type FusionRules = Pick<
  ReaderRules,
  'alternativeFloor' | 'fractionPrior' | 'fractionLikely' | 'fractionSure' | 'usualTrust' | 'fractionCalibration'
>;

/** The likeliest readings of each photo that are weighed against those of the others. */
const candidatesOfPhoto = 6;

/** Probability of any one reading where the networks are wrong about a photo. */
const mistaken = 1e-3;

/**
 * How much a further photo counts beside the best one, as an exponent: photos of one meter are misread for the same
 * reasons, such as a wheel between two numbers. An estimate: with 0.25 or 1, as many held-out readings are right.
 */
const furtherPhoto = 0.5;

/** A photo contradicts the reading if it is more likely than this to show other digits before the fraction. */
const contradiction = 0.5;

/**
 * A photo that contradicts more than one of those digits, or their number, may be of another counter: then a smaller
 * probability is enough.
 */
const misreadWheels = 1;
const otherCounter = 0.25;

/**
 * Fuses photos of one counter, taken at nearly the same time. Each photo gives a distribution over readings: what its
 * strips say, as far as the confidence in its digits goes. The likeliest product is the reading. It is wrong if all the
 * photos that agree are.
 *
 * @param photos one or more
 */
export function fusePhotos(photos: readonly SeenCounter[], rules: FusionRules, known: KnownMeter = {}): FusedCounter {
  const [only] = photos;
  if (only && photos.length === 1) return { counter: only.counter, best: 0, agrees: [true], disagree: false };
  const views = photos.map(({ counter, hypothesis }) => {
    const strips = hypothesis.strips.map(({ probabilities }) => mergeColours(probabilities));
    return { counter, hypothesis, strips };
  });
  const texts = [...new Set(views.flatMap(likeliestOf))];
  const seen = views.map(({ strips }) => distribution(texts, strips));
  const joint = normalised(
    texts.map((text, at) =>
      views.reduce(
        (product, { counter: { digitsConfidence: sure } }, photo) => {
          return product * (sure * (seen[photo]?.[at] ?? 0) + (1 - sure) * mistaken);
        },
        agreementOf({ text, fractionWheels: undefined }, known),
      ),
    ),
  );
  const top = joint.indexOf(Math.max(...joint));
  const text = texts[top] ?? '';

  const isSameLength = views.map(({ counter }) => counter.wheels.length === text.length);
  const rows = views.filter((_, photo) => isSameLength[photo]);
  const fraction = fuseFractions(text, rows, rules, known);
  const whole = text.slice(0, text.length - fraction.wheels);
  const isWhole = texts.map((other) => other.length === text.length && other.startsWith(whole));
  const shareOf = (of: readonly number[]): number => of.reduce((sum, p, at) => sum + (isWhole[at] ? p : 0), 0);

  const support = seen.map(shareOf);
  const agrees = support.map((share, photo) => share > 0.5 && isSameLength[photo] === true);
  const doubts = views.map(({ counter }, photo) => (agrees[photo] ? 1 - counter.digitsConfidence : 1));
  const best = doubts.indexOf(Math.min(...doubts));
  const allWrong = doubts.reduce(
    (product, doubt, photo) => product * (photo === best ? doubt : doubt ** furtherPhoto),
    1,
  );

  /** How likely each photo shows other digits before the fraction. */
  const opposed = views.map(({ counter }, photo) => counter.digitsConfidence * (1 - (support[photo] ?? 0)));
  const readings = texts.map((other, at) => [other, joint[at] ?? 0] as const);
  const alternatives = alternativesTo(text, readings, rules);
  const own = (views[best] as SeenCounter).counter;
  const digits = rows.map(({ hypothesis }) => wheelsOf(hypothesis, text));
  return {
    counter: {
      ...own,
      wheels: [...text].map((digit, at) => ({
        digit,
        confidence: Math.max(...digits.map((wheels) => wheels[at]?.confidence ?? 0)),
        quad: own.wheels[at]?.quad ?? own.quad,
        betweenPositions: alternatives.some((other) => other.text[at] !== digit),
      })),
      digitsConfidence: shareOf(joint) * (1 - allWrong),
      fractionConfidence: fraction.confidence,
      fractionWheels: wheelsFrom(fraction, rules.fractionLikely),
      isFractionSure: fraction.sure >= rules.fractionSure,
      alternatives,
    },
    best,
    agrees,
    disagree:
      2 * opposed.filter((p) => p >= contradiction).length > agrees.filter(Boolean).length ||
      views.some(({ counter }, photo) => {
        const isOther = differingWheels(counter, whole, text.length) > misreadWheels;
        return isOther && (opposed[photo] ?? 0) >= otherCounter;
      }),
  };
}

/** How many of the digits before the fraction are others; infinite for another number of wheels. */
function differingWheels({ wheels }: CounterReading, whole: string, length: number): number {
  return wheels.length === length ? [...whole].filter((digit, at) => digit !== wheels[at]?.digit).length : Infinity;
}

function likeliestOf({ counter, hypothesis: { readings } }: SeenCounter): string[] {
  const own = counter.wheels.map(({ digit }) => digit).join('');
  const others = [...readings].sort(([, a], [, b]) => b - a).map(([text]) => text);
  return [own, ...others.slice(0, candidatesOfPhoto)];
}

function distribution(texts: readonly string[], strips: readonly DigitProbabilities[]): number[] {
  return normalised(
    texts.map((text) => {
      const digits = [...text].map(Number);
      return meanOf(strips.map((strip) => likelihood(strip, digits)));
    }),
  );
}

/** The fraction of the counter by the colours and marks of all photos with as many wheels. */
function fuseFractions(text: string, rows: readonly SeenCounter[], rules: FusionRules, known: KnownMeter): Fraction {
  const reds = rows.map(({ hypothesis }) => wheelsOf(hypothesis, text).map(({ red }) => red));
  const red = [...text].map((_, at) => meanOf(reds.map((row) => row[at] ?? 0)));
  const marks = rows.flatMap(({ hypothesis }) =>
    hypothesis.marks?.wheels.length === text.length ? hypothesis.marks : [],
  );
  return fractionOf({ text, red, marks: fuseMarks(marks) }, rules, known);
}

/**
 * What all photos mark: what the one that tells most does, sharpened by the others as far as they tell something. A meter
 * without marks stays one, however many photos there are.
 */
function fuseMarks(marks: readonly Marks[]): Marks | undefined {
  const [best, ...further] = marks.toSorted((a, b) => a.untold - b.untold);
  if (best === undefined) return undefined;
  const told = further.map(({ fraction, untold }) => fraction.map((p) => p + untold / fraction.length));
  const products = best.fraction.map((p, wheels) => {
    return told.reduce((product, other) => product * (other[wheels] ?? 0) ** furtherPhoto, p);
  });
  return { ...best, fraction: normalised(products).map((p) => p * (1 - best.untold)) };
}
