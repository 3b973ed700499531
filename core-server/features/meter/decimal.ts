/** An amount as exact as it was written: a whole number of units of the smallest place. */
export type Decimal = bigint;

/** More than a counter that the networks can read has wheels. */
const smallestPlace = 64;
const unitOf = (places: number): bigint => 10n ** BigInt(smallestPlace - places);

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
  return BigInt(digits) * unitOf(places);
}

/** The amount truncated to this many places. */
export function truncated(amount: Decimal, places: number): Decimal {
  return amount - (amount % unitOf(places));
}
