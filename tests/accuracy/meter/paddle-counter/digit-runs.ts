import { type Quad, sliceOf } from '../../../../core-server/features/meter/geometry.js';
import type { ReadCharacter } from './ctc-text.js';

/** A line of text; each character with how red its surroundings are (see `rednessAt`). */
export interface ColouredLine {
  readonly quad: Quad;
  readonly characters: readonly (ReadCharacter & { readonly redness: number })[];
}

/** A digit as it was read. */
interface ReadDigit {
  readonly digit: string;
  /** Probability, 0..1. */
  readonly confidence: number;
  /** Its place in the picture: as high as its line, as wide as its share of the run. */
  readonly quad: Quad;
  readonly redness: number;
}

/** Digits that stand together in a line of text. */
export interface DigitRun {
  readonly line: ColouredLine;
  readonly digits: readonly ReadDigit[];
  /** The part of the line that the digits fill. */
  readonly quad: Quad;
  /** Characters of the line that are none of these digits. */
  readonly others: number;
}

/** What a general recogniser takes wheel digits for. */
const lookalikes = new Map(
  Object.entries({
    O: '0',
    o: '0',
    D: '0',
    Q: '0',
    〇: '0',
    口: '0',
    I: '1',
    l: '1',
    '|': '1',
    i: '1',
  }),
);

/** Wheel gaps, commas and glints between digits are read as these; they do not end a run. */
const fillers = new Set([...' .,:;·•\'"-_~、。一']);

const minDigits = 4;
const maxDigits = 9;
/** A run of lookalikes is a word. */
const minTrueDigits = 0.6;

/** The runs of 4 to 9 digits in a line. */
export function findDigitRuns(line: ColouredLine): DigitRun[] {
  const runs: ColouredLine['characters'][] = [];
  let open: ColouredLine['characters'][number][] = [];
  for (const character of line.characters) {
    if (digitOf(character.text) !== undefined) open.push(character);
    else if (!fillers.has(character.text)) {
      runs.push(open);
      open = [];
    }
  }
  runs.push(open);
  return runs.filter(isCounterLike).map((run) => toDigitRun(line, run));
}

function digitOf(text: string): string | undefined {
  return /^[0-9]$/.test(text) ? text : lookalikes.get(text);
}

function isCounterLike(run: ColouredLine['characters']): boolean {
  const trueDigits = run.filter(({ text }) => /^[0-9]$/.test(text)).length;
  return run.length >= minDigits && run.length <= maxDigits && trueDigits >= minTrueDigits * run.length;
}

function toDigitRun(line: ColouredLine, run: ColouredLine['characters']): DigitRun {
  const first = run[0]?.position ?? 0;
  const last = run.at(-1)?.position ?? 1;
  const half = (last - first) / Math.max(1, run.length - 1) / 2;
  const slice = (from: number, to: number): Quad =>
    sliceOf(line.quad, Math.max(0, from - half), Math.min(1, to + half));
  return {
    line,
    quad: slice(first, last),
    digits: run.map(({ text, confidence, position, redness }) => ({
      digit: digitOf(text) ?? '',
      confidence,
      redness,
      quad: slice(position, position),
    })),
    others: line.characters.length - run.length,
  };
}
