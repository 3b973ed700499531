import { ReadingStatus, ReadingWarning } from '../../generated/imageanalysis/v1/meter_reading.js';
import type { CounterLight } from './counter-light.js';
import type { CounterReading } from './counter-reading.js';
import { type Box, type Quad, angleOf, boundingBoxOf, mapped } from './geometry.js';
import type { Size } from '../image/picture.js';
import type { MeterReading } from './reader.js';

/** A counter that is turned by more than this is reported: half way to lying on its side. */
const rotatedFromRadians = Math.PI / 4;

/**
 * Makes the answer of a reading.
 *
 * @param facts size of the upright picture, pixels of the decoded picture for each of its pixels,
 *   how the counter is lit, and the confidence below which a person should look
 */
export function assembleReading(
  counter: CounterReading,
  facts: {
    readonly picture: Size;
    readonly scale: number;
    readonly light: CounterLight;
    readonly checkBelow: number;
  },
): MeterReading {
  const { picture, scale, light, checkBelow } = facts;
  const meterNumber = counter.wheels.map(({ digit }) => digit).join('');
  const warnings = warningsOf(counter, light);
  const boxOf = (quad: Quad): Box =>
    boundingBoxOf([mapped(quad, ({ x, y }) => ({ x: x / scale, y: y / scale }))], picture);
  return {
    meterNumber,
    value: withPoint(meterNumber, counter.fractionWheels ?? 0),
    unit: 'm3',
    confidence: counter.confidence,
    status: isUsable(counter, checkBelow) ? ReadingStatus.OK : ReadingStatus.CHECK,
    warnings,
    boundingBox: boxOf(counter.quad),
    digits: counter.wheels.map(({ digit, confidence, quad }) => ({
      digit,
      confidence,
      boundingBox: boxOf(quad),
    })),
  };
}

/** Sure enough, and the amount can be told: without the point the same digits are a thousand times as much. */
function isUsable(counter: CounterReading, checkBelow: number): boolean {
  return counter.confidence >= checkBelow && counter.fractionWheels !== undefined;
}

/** What makes the reading doubtful, in the order of the enum. */
function warningsOf(counter: CounterReading, light: CounterLight): ReadingWarning[] {
  const told: [boolean, ReadingWarning][] = [
    [
      counter.wheels.some(({ betweenPositions }) => betweenPositions),
      ReadingWarning.DIGIT_BETWEEN_POSITIONS,
    ],
    [counter.fractionWheels === undefined, ReadingWarning.FRACTION_UNKNOWN],
    [counter.rivalled, ReadingWarning.SEVERAL_COUNTERS],
    [Math.abs(angleOf(counter.quad)) > rotatedFromRadians, ReadingWarning.ROTATED_INPUT],
    [light === 'dark', ReadingWarning.LOW_LIGHT],
    [light === 'glare', ReadingWarning.GLARE],
  ];
  return told.filter(([is]) => is).map(([, warning]) => warning);
}

/** `00123456` with three fraction wheels is `00123.456`; a counter of fractions alone gets a zero. */
function withPoint(digits: string, fractionWheels: number): string {
  if (fractionWheels <= 0) return digits;
  const whole = digits.slice(0, -fractionWheels);
  return `${whole === '' ? '0' : whole}.${digits.slice(-fractionWheels)}`;
}
