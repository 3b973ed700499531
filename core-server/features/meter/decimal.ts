/** An amount as exact as it was written: `digits` / 10 ** `places`. */
export interface Decimal {
  readonly digits: bigint;
  readonly places: number;
}

const maxWholeDigits = 12;
const maxPlaces = 6;
const form = new RegExp(`^(\\d{1,${maxWholeDigits}})(?:\\.(\\d{1,${maxPlaces}}))?$`);

/** What `parseDecimal` accepts, in words. */
export const decimalForm = `a plain decimal of at most ${maxWholeDigits} digits and ${maxPlaces} decimals`;

/** Reads `00123.456`; undefined for any other form. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, whole, fraction = ''] = form.exec(text) ?? [];
  return whole === undefined ? undefined : decimalOf(whole + fraction, fraction.length);
}

/** Digits, with this many after the point. */
export function decimalOf(digits: string, places: number): Decimal {
  return { digits: BigInt(digits), places };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places);
  return { digits: scaled(a, places) + scaled(b, places), places };
}

/** Negative where `a` is less than `b`, 0 where they are the same amount. */
export function compare(a: Decimal, b: Decimal): number {
  const places = Math.max(a.places, b.places);
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The amount truncated to this many places. */
export function truncated(amount: Decimal, places: number): Decimal {
  if (amount.places <= places) return amount;
  return { digits: amount.digits / 10n ** BigInt(amount.places - places), places };
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
