import { type Decimal, add, compare, decimalOf, truncated } from './decimal.js';

/** What a caller knows of the meter in the photo. */
export interface KnownMeter {
  /** Number of wheels, red ones included. */
  readonly digits?: number;
  /** Number of fraction wheels. */
  readonly decimals?: number;
  /** An earlier value. */
  readonly previous?: Decimal;
  /** The most that the value has grown since. */
  readonly maxIncrease?: Decimal;
}

/** Digits with the number of those at the end that are the fraction; undefined: not known. */
export interface ReadDigits {
  readonly text: string;
  readonly fractionWheels: number | undefined;
}

/** What speaks against a reading. */
export type Contradiction = 'digits' | 'below' | 'jump';

/** What is known of the meter and does not agree with a reading of it. */
export function contradictionsOf(read: ReadDigits, known: KnownMeter): Contradiction[] {
  const found: Contradiction[] = [];
  if (known.digits !== undefined && read.text.length !== known.digits) found.push('digits');
  // Without the point the digits are no amount yet.
  if (known.previous === undefined || read.fractionWheels === undefined) return found;
  const value = decimalOf(read.text, read.fractionWheels);
  const { maxIncrease } = known;
  // A counter shows no part of its last place.
  const previous = truncated(known.previous, value.places);
  const most = maxIncrease && add(known.previous, maxIncrease);
  if (compare(value, previous) < 0) {
    if (!most || !hasTurnedOver(read, value, most)) found.push('below');
  } else if (most && compare(value, most) > 0) {
    found.push('jump');
  }
  return found;
}

/** Whether the counter passed 99…9 on its way to at most that. */
function hasTurnedOver({ text }: ReadDigits, value: Decimal, most: Decimal): boolean {
  const turn = decimalOf(`1${'0'.repeat(text.length)}`, value.places);
  return compare(add(value, turn), most) <= 0;
}

/**
 * What a contradiction leaves of a reading's probability: a caller mixes up meters, or the last
 * reading was wrong, about so often. By judgement, not fitted: no photo here comes with such facts.
 */
const doubt = 0.02;

/** How well a reading agrees with what is known: 1, or less for each contradiction. */
export function agreementOf(read: ReadDigits, known: KnownMeter): number {
  return doubt ** contradictionsOf(read, known).length;
}
