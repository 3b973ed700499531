import { angleOf, centerOf, isOn, type Quad, sizeOf, turned } from '../geometry.js';
import type { TextLine } from './text-lines.js';

/** What is printed on a meter; empty where none was found. */
export interface PrintedText {
  readonly serialNumber: string;
  readonly unit: string;
}

const maxLines = 32; // largest first; a meter's face has fewer
/** Print runs as the counter does, or the other way round; a dial's round text is left out. */
const maxTurn = Math.PI / 8;

/** Text boxes that may be printed on the counter's meter, each in the counter's reading direction. */
export function besideCounter(boxes: readonly Quad[], counter: Quad): Quad[] {
  const area = (quad: Quad): number => sizeOf(quad).width * sizeOf(quad).height;
  return boxes
    .map((box) => (Math.cos(angleOf(box) - angleOf(counter)) < 0 ? turned(box) : box))
    .filter((box) => Math.cos(angleOf(box) - angleOf(counter)) > Math.cos(maxTurn))
    .filter((box) => !isOn(counter, centerOf(box)))
    .sort((a, b) => area(b) - area(a))
    .slice(0, maxLines);
}

/** Finds serial number and unit among the lines of a meter's face. */
export function findPrintedText(lines: readonly TextLine[]): PrintedText {
  const texts = lines.map(({ characters }) => ({
    text: characters.map(({ text }) => text).join(''),
    sure: Math.min(1, ...characters.map(({ confidence }) => confidence)),
  }));
  const [serial] = texts
    .flatMap(({ text, sure }) => serialsIn(text).map((found) => ({ ...found, sure })))
    .filter((found) => found.named || found.sure >= minConfidence)
    .sort((a, b) => Number(b.named) - Number(a.named) || b.sure - a.sure);
  const [unit = ''] = texts.flatMap(({ text }) => unitIn(text) ?? []);
  return { serialNumber: serial?.text ?? '', unit };
}

/** `No`, `№`, `S/N` and the like before it; the recogniser takes the sign № for `Ne`. */
const named = /(?:№|\bN[oe0ºr°][.:º°]?|\bS[/.]?N\b|\bSERIAL\b)[.:#\s]*([A-Z0-9][A-Z0-9-]{4,15})/i;
/** Next to letters of another script it is the number of a licence. */
const bare = /(?<![\p{L}\p{N}.,:/-])[A-Z0-9-]{6,16}(?![\p{L}\p{N}.,:/-])/giu;
/** Standards and types look like serial numbers: `ISO4064`, `GB/T778`, `Q3`, `R160`, `DN15`. */
const standard = /^(?:ISO|EN|GB|DN|OIML|IEC|CE|MID|CLASS|KL)[-0-9]|^Q[34n]/i;
/** A day, or the day that a camera prints, with the hours that follow. */
const date =
  /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-[0-3]\d|^(?:19|20)\d\d-?(?:0[1-9]|1[0-2])-?(?:[0-3]\d)?$/;
const minDigits = 5;
/** A number without a name is taken from this probability of its least sure character on. */
const minConfidence = 0.5;

function serialsIn(text: string): { text: string; named: boolean }[] {
  const isSerial = (word: string): boolean =>
    word.replaceAll(/\D/g, '').length >= minDigits && !standard.test(word) && !date.test(word);
  const [, afterName = ''] = named.exec(text) ?? [];
  if (isSerial(afterName)) return [{ text: afterName, named: true }];
  return [...text.matchAll(bare)]
    .filter(([word]) => isSerial(word))
    .map(([word]) => ({ text: word, named: false }));
}

/** `m3/h` is a flow. The raised 3 is read as `3` or `²`, as a quote or not at all. */
const units: readonly (readonly [RegExp, string])[] = [
  [/(?<![a-z0-9])m[23²³](?!\s*[/%]|[a-z0-9])/i, 'm3'],
  [/^m["”*]?$/i, 'm3'],
  [/kwh(?!\s*\/)/i, 'kWh'],
  [/(?<![a-z])(?:ft[3³]|cu\.?\s?ft)(?!\s*\/|[a-z])/i, 'ft3'],
  [/(?<![a-z])gal(?:lons?)?(?![a-z/])/i, 'gal'],
];

function unitIn(text: string): string | undefined {
  return units.find(([form]) => form.test(text))?.[1];
}
