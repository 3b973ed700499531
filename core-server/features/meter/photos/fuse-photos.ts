import type { CounterReading, SeenCounter } from '../counter-reading.js';
import { marksFor } from '../decide/choose-reading.js';
import { alternativesTo } from '../decide/decide-reading.js';
import { agreementOfDigits, type Fraction, fractionOf, pointOf } from '../decide/fraction.js';
import type { KnownMeter } from '../known-meter.js';
import { meanOf, mostSure, normalised } from '../probability.js';
import type { CounterLight } from '../read/counter-light.js';
import { likelihood } from '../read/digit-ctc.js';
import type { Marks } from '../read/hypothesis.js';
import { wheelsOf } from '../read/wheels.js';
import type { ReaderRules } from '../reader-rules.js';

/** The likeliest readings of each photo that are weighed against those of the others. */
const candidatesOfPhoto = 6;

/** Probability of any one reading where the networks are wrong about a photo. */
const mistaken = 1e-3;

/**
 * How much a further photo counts beside the best one, as an exponent: photos of one meter are misread for the same
 * reasons, such as a wheel between two numbers. An estimate: with 0.25 or 1, as many held-out readings are right.
 */
const furtherPhoto = 0.5;

/** Of photos beside the best one, so many count, those that say most: more of one camera say the same again. */
const furtherPhotos = 2;

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
 */
export function fusePhotos(
  photos: readonly (SeenCounter & { readonly light?: CounterLight })[],
  rules: ReaderRules,
  known: KnownMeter = {},
) {
  const [only] = photos;
  if (only && photos.length === 1) return { counter: only.counter, best: 0, agrees: [true], disagree: false };
  const { text, texts, views, joint } = weighReadings(photos, rules, known);
  const rows = withAsManyWheels(views, text);
  const point = pointOf(fuseFractions(text, rows, rules, known), rules);
  const whole = text.slice(0, text.length - (point.fractionWheels ?? 0));
  const isWhole = texts.map((other) => other.length === text.length && other.startsWith(whole));
  /** The probability of the digits before the fraction by a distribution over the texts. */
  const supportBy = (seen: readonly number[]): number => seen.reduce((sum, p, at) => sum + (isWhole[at] ? p : 0), 0);

  const judged = views.map((view) => judgePhoto(view, supportBy(view.seen), whole, text.length));
  const [least = 1, ...further] = judged.map(({ doubt }) => doubt).sort((a, b) => a - b);
  // Of those of as many wheels that say as much, the first in good light: where none supports it, all do.
  const equals = judged.flatMap(({ doubt, differing }, at) => (doubt === least && differing < Infinity ? at : []));
  const best = equals.find((at) => photos[at]?.light === 'good') ?? equals[0] ?? 0;
  const allWrong = further.slice(0, furtherPhotos).reduce((product, doubt) => product * doubt ** furtherPhoto, least);
  const own = (views[best] as SeenCounter).counter;
  const alternatives = alternativesTo(
    text,
    texts.map((other, at) => [other, joint[at] ?? 0] as const),
    rules,
  );
  const digits = rows.map(({ hypothesis }) => wheelsOf(hypothesis, text));
  const counter: CounterReading = {
    ...own,
    wheels: [...text].map((digit, at) => ({
      digit,
      confidence: Math.max(...digits.map((wheels) => wheels[at]?.confidence ?? 0)),
      quad: own.wheels[at]?.quad ?? own.quad,
      betweenPositions: alternatives.some((other) => other.text[at] !== digit),
    })),
    digitsConfidence: Math.min(supportBy(joint) * (1 - allWrong), mostSure),
    ...point,
    // What one photo sees of a counter of as many wheels is so, whatever is covered in the others.
    wheelBefore: views.some((view) => view.counter.wheelBefore && view.counter.wheels.length === text.length),
    alternatives,
  };
  return {
    counter,
    /** The photo that says most for it; the places of `counter` are in that one. */
    best,
    /** Whether each photo alone shows the digits before the fraction. */
    agrees: judged.map(({ agrees }) => agrees),
    /** Whether a photo may be of another counter, or too many contradict the reading. */
    disagree: doDisagree(judged),
  };
}

/** A photo with how likely its strips show each text. */
interface PhotoView extends SeenCounter {
  readonly seen: readonly number[];
}

/**
 * The readings that the photos may show, how likely each shows each, and how likely all show each; and the likeliest
 * one by that and by what is known, which does not make it surer. What all photos read alone is what they show.
 */
function weighReadings(photos: readonly SeenCounter[], rules: ReaderRules, known: KnownMeter) {
  // Of the numbers of wheels that they have by their own readings, which what is known may have decided.
  const lengths = new Set(photos.map(({ counter }) => counter.wheels.length));
  const texts = [...new Set(photos.flatMap(likeliestOf))].filter(({ length }) => lengths.has(length));
  const views = photos.map((photo): PhotoView => ({ ...photo, seen: distribution(texts, photo) }));
  const joint = normalised(
    texts.map((_, at) =>
      views.reduce(
        (product, { counter: { digitsConfidence: sure }, seen }) =>
          product * (sure * (seen[at] ?? 0) + (1 - sure) * mistaken),
        1,
      ),
    ),
  );
  const [own = '', ...others] = new Set(photos.map(ownReading));
  if (others.length === 0) return { text: own, texts, views, joint };
  const agreed = texts.map((text, at) => {
    const fraction = () => fuseFractions(text, withAsManyWheels(photos, text), rules, known);
    return (joint[at] ?? 0) * agreementOfDigits(text, known, fraction);
  });
  return { text: texts[agreed.indexOf(Math.max(...agreed))] ?? own, texts, views, joint };
}

function withAsManyWheels<Photo extends SeenCounter>(photos: readonly Photo[], { length }: string): Photo[] {
  return photos.filter(({ counter }) => counter.wheels.length === length);
}

/** What a photo says of the digits before the fraction, `whole`. @param support their probability by its strips */
function judgePhoto({ counter }: PhotoView, support: number, whole: string, length: number) {
  const sure = counter.digitsConfidence;
  const differing = differingWheels(counter, whole, length);
  const agrees = differing === 0;
  const supports = agrees || (support > 0.5 && differing < Infinity);
  return {
    /** Whether it shows these when read alone. */
    agrees,
    /** The same by its strips, which may rather show these than what is read. */
    supports,
    /** How likely it shows others. */
    opposed: agrees ? 0 : sure * (1 - support),
    doubt: supports ? 1 - sure : 1,
    differing,
  };
}

function doDisagree(judged: readonly ReturnType<typeof judgePhoto>[]): boolean {
  const contradicting = judged.filter(({ opposed }) => opposed >= contradiction).length;
  return (
    2 * contradicting > judged.filter(({ supports }) => supports).length ||
    judged.some(({ differing, opposed }) => differing > misreadWheels && opposed >= otherCounter)
  );
}

/** How many of the digits before the fraction are others; infinite for another number of wheels. */
function differingWheels({ wheels }: CounterReading, whole: string, length: number): number {
  return wheels.length === length ? [...whole].filter((digit, at) => digit !== wheels[at]?.digit).length : Infinity;
}

function ownReading({ counter }: SeenCounter): string {
  return counter.wheels.map(({ digit }) => digit).join('');
}

function likeliestOf(photo: SeenCounter): string[] {
  const others = [...photo.hypothesis.readings].sort(([, a], [, b]) => b - a).map(([text]) => text);
  return [ownReading(photo), ...others.slice(0, candidatesOfPhoto)];
}

function distribution(texts: readonly string[], { hypothesis: { strips } }: SeenCounter): number[] {
  return normalised(
    texts.map((text) => {
      const digits = [...text].map(Number);
      return meanOf(strips.map((strip) => likelihood(strip, digits)));
    }),
  );
}

/** The fraction of the counter by the colours and marks of all photos with as many wheels. */
function fuseFractions(text: string, rows: readonly SeenCounter[], rules: ReaderRules, known: KnownMeter): Fraction {
  const reds = rows.map(({ hypothesis }) => wheelsOf(hypothesis, text).map(({ red }) => red));
  const red = [...text].map((_, at) => meanOf(reds.map((row) => row[at] ?? 0)));
  const marks = rows.flatMap(({ hypothesis }) => marksFor(hypothesis, text) ?? []);
  return fractionOf({ text, red, marks: fuseMarks(marks) }, rules, known);
}

/**
 * What all photos mark: what the one that tells most does, sharpened by the others as far as they tell something. A meter
 * without marks stays one, however many photos there are.
 */
function fuseMarks(marks: readonly Marks[]): Marks | undefined {
  const [best, ...further] = marks.toSorted((a, b) => a.untold - b.untold);
  if (best === undefined) return undefined;
  const told = further
    .slice(0, furtherPhotos)
    .map(({ fraction, untold }) => fraction.map((p) => p + untold / fraction.length));
  const products = best.fraction.map((p, wheels) => {
    return told.reduce((product, other) => product * (other[wheels] ?? 0) ** furtherPhoto, p);
  });
  return { ...best, fraction: normalised(products).map((p) => p * (1 - best.untold)) };
}
