import type { PrintedText } from '../../../../generated/imageanalysis/v1/meter_reading.js';

export interface PrintedLine {
  readonly text: string;
  /** Probability of its least sure character, 0..1. */
  readonly confidence: number;
}

/** Finds serial number and unit among the lines of a meter's face. */
export function findPrintedText(lines: readonly PrintedLine[]): PrintedText {
  const [serial] = lines
    .flatMap(({ text, confidence }) => serialsIn(text).map((found) => ({ ...found, confidence })))
    .filter((found) => found.named || found.confidence >= minConfidence)
    .sort((a, b) => Number(b.named) - Number(a.named) || b.confidence - a.confidence);
  const [unit = ''] = lines.flatMap(({ text }) => units.find(([form]) => form.test(text))?.[1] ?? []);
  return { serialNumber: serial?.text ?? '', unit };
}

/** `No`, `№`, `S/N` and the like before it; the recogniser takes the sign № for `Ne` or `NQ`. */
const named = /(?:№|\bN[oe0ºr°q][.:º°]?|\bS[/.]?N\b|\bSERIAL\b)[.:#\s]*([A-Z0-9][A-Z0-9-]{4,15})/i;
/** Next to letters of another script it is the number of a licence. The year may follow a slash. */
const bare = /(?<![\p{L}\p{N}.,:/-])[A-Z0-9-]{6,16}(?![\p{L}\p{N}.,:-]|\/(?!\s*(?:19|20)\d\d$))/giu;
/** Standards and types look like serial numbers: `ISO4064`, `GB/T778`, `Q3`, `R160`, `DN15`, `X0.0001`, `CE M17 0102`, `220V50Hz`. */
const standard = /^(?:ISO|EN|GB|DN|OIML|IEC|CE|PDM|MID|CLASS|KL)[-0-9M]|^Q[34n]|^X0|^\d{2,3}V/i;
/** The places of the wheels, `10000 1000 100 10 1`. */
const places = /^[01]+$/;
/** A day, or the day that a camera prints, with the hours that follow. */
const date = /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-[0-3]\d|^(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:[0-3]\d)?$/;
const minDigits = 5;
/** A number without a name is taken from this probability of its least sure character on. */
const minConfidence = 0.5;

function serialsIn(text: string): { text: string; named: boolean }[] {
  const isSerial = (word: string): boolean =>
    word.replaceAll(/\D/g, '').length >= minDigits && ![standard, date, places].some((other) => other.test(word));
  const [, afterName = ''] = named.exec(text) ?? [];
  if (isSerial(afterName)) return [{ text: afterName, named: true }];
  return [...text.matchAll(bare)].filter(([word]) => isSerial(word)).map(([word]) => ({ text: word, named: false }));
}

/** `m3/h` is a flow. The raised 3 is read as `3` or `²`, as a quote or not at all. */
const units: readonly (readonly [RegExp, string])[] = [
  [/(?<![a-z0-9])m[23²³](?!\s*[/%]|[a-z0-9])/i, 'm3'],
  [/(?:^|\s|[^\p{L}\p{N}]|^[co])m\s?[3"”*°?]?$/iu, 'm3'],
  [/kwh(?!\s*\/)/i, 'kWh'],
  [/(?<![a-z])(?:ft[3³]|cu\.?\s?ft)(?!\s*\/|[a-z])/i, 'ft3'],
  [/(?<![a-z])gal(?:lons?)?(?![a-z/])/i, 'gal'],
];
