import { roundPixels, roundProbability } from '../../common/precision.js';
import { type Box, type Point, wholeOf } from '../../image/picture.js';
import { mayGoOnOutside } from './counter-edges.js';
import type { CounterReading } from './counter-reading.js';
import { angleOf, boundingBoxOf, mapped, type Quad, resized } from './geometry.js';
import { type Contradiction, contradictionsOf } from './known-meter.js';
import type { CounterLight } from './read/counter-light.js';
import type { MeterReading, PhotoEvidence, ReadingWarningName, ReadMeterInput } from './task.js';

/** A counter rotated by more than this is reported: half way to being on its side. */
const rotatedFromRadians = Math.PI / 4;

/** Fewer are not read, and none of 2,321 counters in labelled photos has as few: one may be covered. */
const fewestWheels = 4;

/**
 * @param facts size of the upright picture and of the copy that was read, the photo within that, how the counter is lit,
 *   the confidence below which a person should look, and what is known of the meter
 */
export function assembleReading(
  counter: CounterReading,
  facts: Pick<PhotoEvidence, 'picture' | 'copy' | 'shown' | 'light'> & Pick<ReadMeterInput, 'checkBelow' | 'known'>,
): MeterReading {
  const { picture, copy, shown, light, checkBelow, known } = facts;
  const { fractionWheels, isFractionSure } = counter;
  const meterNumber = counter.wheels.map(({ digit }) => digit).join('');
  const contradictions = contradictionsOf({ text: meterNumber, fractionWheels, isFractionSure }, known);
  const placeOf = (quad: Quad): { readonly boundingBox: Box; readonly polygon: Point[] } => {
    const corners = mapped(resized(quad, copy, picture), ({ x, y }) => ({ x: roundPixels(x), y: roundPixels(y) }));
    return { boundingBox: boundingBoxOf([corners], picture), polygon: [...corners] };
  };
  // Compared as reported, so that the status matches the confidence shown.
  const { digitsConfidence, fractionConfidence } = counter;
  const confidence = roundProbability(digitsConfidence * fractionConfidence);
  // What looks like bars may be a plain part of the photo.
  const isCut = counter.wheelBefore || [wholeOf(copy), shown].some((photo) => mayGoOnOutside(counter, photo));
  const { length } = counter.wheels;
  const isWhole = known.digits === length || (length !== fewestWheels && !isCut);
  // Which of several counters is meant, no photo tells.
  const isOne = !counter.rivalled;
  // A misplaced point changes the value up to a thousandfold, so an uncertain one always needs review.
  const isUsable = confidence >= checkBelow && isFractionSure && isWhole && isOne && contradictions.length === 0;
  return {
    meterNumber,
    value: withPoint(meterNumber, fractionWheels),
    unit: known.unit ?? 'm3',
    confidence,
    details: {
      digitsConfidence: roundProbability(digitsConfidence),
      fractionConfidence: roundProbability(fractionConfidence),
    },
    status: isUsable ? 'OK' : 'CHECK',
    warnings: warningsOf(counter, light, contradictions, isWhole),
    ...placeOf(counter.quad),
    digits: counter.wheels.map((wheel) => ({
      digit: wheel.digit,
      confidence: roundProbability(wheel.confidence),
      ...placeOf(wheel.quad),
    })),
    alternatives: counter.alternatives.map(({ text, probability }) => ({
      meterNumber: text,
      value: withPoint(text, fractionWheels),
      probability: roundProbability(probability),
    })),
  };
}

/** What makes the reading doubtful, in the order of the enum. */
function warningsOf(
  counter: CounterReading,
  light: CounterLight,
  contradictions: readonly Contradiction[],
  isWhole: boolean,
): ReadingWarningName[] {
  const checks: [boolean, ReadingWarningName][] = [
    [counter.wheels.some(({ betweenPositions }) => betweenPositions), 'DIGIT_BETWEEN_POSITIONS'],
    [!counter.isFractionSure, 'FRACTION_UNKNOWN'],
    [counter.rivalled, 'SEVERAL_COUNTERS'],
    [Math.abs(angleOf(counter.quad)) > rotatedFromRadians, 'ROTATED_INPUT'],
    [light === 'dark', 'LOW_LIGHT'],
    [light === 'glare', 'GLARE'],
    [contradictions.includes('digits'), 'UNEXPECTED_DIGITS'],
    [contradictions.includes('below'), 'BELOW_PREVIOUS'],
    [contradictions.includes('jump'), 'JUMP_TOO_LARGE'],
    [!isWhole, 'COUNTER_CUT'],
  ];
  return checks.filter(([is]) => is).map(([, warning]) => warning);
}

/** `00123456` with three fraction wheels is `00123.456`. */
function withPoint(digits: string, fractionWheels = 0): string {
  if (fractionWheels === 0) return digits;
  return `${digits.slice(0, -fractionWheels)}.${digits.slice(-fractionWheels)}`;
}
