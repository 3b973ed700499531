import { type Decimal, decimalOf, truncated } from './decimal.js';

/** What a caller knows about the meter in the photo. */
export interface KnownMeter {
  /** Number of wheels, red ones included. */
  readonly digits?: number | undefined;
  /** Number of fraction wheels. */
  readonly decimals?: number | undefined;
  /** Of its values. */
  readonly unit?: string | undefined;
  /** An earlier value. */
  readonly previous?: Decimal | undefined;
  /** The most that the value can have risen since. */
  readonly maxIncrease?: Decimal | undefined;
}

/** Digits, and how many at the end are the fraction. */
interface ReadDigits {
  readonly text: string;
  readonly fractionWheels: number;
}

export type Contradiction = 'digits' | 'below' | 'jump';

/** Where the point is unsure, those with the one that contradicts least; of several, with the likely one if there is one. */
export function contradictionsOf(
  read: { readonly text: string; readonly fractionWheels: number | undefined; readonly isFractionSure: boolean },
  known: KnownMeter,
): Contradiction[] {
  const { text, fractionWheels = 0, isFractionSure } = read;
  const points = [fractionWheels, ...(isFractionSure ? [] : [...text].keys())];
  return points
    .map((at) => odditiesOf({ text, fractionWheels: at }, known).filter((oddity) => oddity !== 'turned-over'))
    .reduce((least, found) => (found.length < least.length ? found : least));
}

/** What makes a reading less likely: contradictions, and that the counter turned over, which is none. */
function odditiesOf(read: ReadDigits, known: KnownMeter): (Contradiction | 'turned-over')[] {
  const found: ReturnType<typeof odditiesOf> = [];
  if (!hasKnownLength(read, known)) found.push('digits');
  const { text, fractionWheels } = read;
  if (known.previous === undefined) return found;
  const value = decimalOf(text, fractionWheels);
  // A counter does not show fractions of its last place.
  const previous = truncated(known.previous, fractionWheels);
  const maxValue = known.maxIncrease === undefined ? undefined : known.previous + known.maxIncrease;
  if (value < previous) {
    // Unless the counter, which can have shown the previous value, passed 99…9 on its way.
    const turn = decimalOf(`1${'0'.repeat(text.length)}`, fractionWheels);
    const hasTurnedOver = maxValue !== undefined && previous < turn && value + turn <= maxValue;
    found.push(hasTurnedOver ? 'turned-over' : 'below');
  } else if (maxValue !== undefined && value > maxValue) {
    found.push('jump');
  }
  return found;
}

/** Whether the meter can have that many wheels, of which at least one is before the fraction. */
function hasKnownLength({ text: { length } }: ReadDigits, known: KnownMeter): boolean {
  const { digits = length, decimals = length - 1 } = known;
  return length === digits && length > decimals;
}

/**
 * Factor on a reading's probability for each contradiction: about how often a caller mixes up meters, or the last
 * reading was wrong. An estimate, not fitted: no photo here comes with such facts.
 */
const doubt = 0.02;

/** How well a reading agrees with what is known: 1, or less for each contradiction, and if the counter turned over. */
export function agreementOf(read: ReadDigits, known: KnownMeter): number {
  return doubt ** odditiesOf(read, known).length;
}
