import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Quad } from '../../../../core-server/features/meter/geometry.js';
import type { Marks } from '../../../../core-server/features/meter/read/hypothesis.js';
import { type Crop, parseReaderRules } from '../../../../core-server/features/meter/reader-rules.js';

/** Of a strip, as the networks give them. */
export const steps = 56;

export type Corners = [number, number][];
export type Peak = [step: number, label: number, probability: number];

/** What is read in a picture, or was made of hypotheses. */
interface Answer {
  digits: string;
  redDigits: number;
  fractionSure: number;
  digitsConfidence: number;
  fractionConfidence: number;
  readable: boolean;
  /** Compared for hypotheses only: in pictures, confidence differs a little between the two. */
  status: 'OK' | 'CHECK';
  alternatives: string[];
}

/** What models/meter/reference.py wrote. */
export const reference = JSON.parse(
  readFileSync(new URL('../../../../../tests/core-server/features/meter/reference.json', import.meta.url), 'utf8'),
) as {
  networks: Record<string, string>;
  rules: unknown;
  /** Pictures of pictures/, step by step. */
  pictures: {
    picture: string;
    located: { quad: Corners; score: number }[];
    refined: { quad: Corners; doubt: number; counter: number }[];
    read: { quad: Corners; legible: number[]; readings: Record<string, number> }[];
    answer: (Answer & { quad: Corners; wheels: { confidence: number; quad: Corners }[] }) | null;
  }[];
  expanded: { quad: Corners; crops: { crop: Crop; quad: Corners }[] };
  /** Hypotheses with what assemble.py and strips.py make of them. */
  cases: {
    name: string;
    hypotheses: {
      quad: Corners;
      counter: number;
      agrees: number;
      located: number;
      strips: { peaks: Peak[]; legible: number }[];
      weight: number;
      readings: Record<string, number>;
    }[];
    /** What is seen at the wheels of the likeliest, in some. */
    marks?: Marks;
    answer: (Answer & { wheels: { confidence: number; red: number; quad: Corners }[] }) | null;
  }[];
};
export const rules = parseReaderRules(reference.rules);

export function quadOf(corners: Corners): Quad {
  const [a, b, c, d] = corners.map(([x, y]) => ({ x, y }));
  return [a, b, c, d] as Quad;
}

/** A strip that is blank but for some peaks. */
export function strip(peaks: readonly Peak[], length = steps) {
  const data = new Float32Array(length * 21);
  for (let step = 0; step < length; step++) data[step * 21] = 1;
  for (const [step, label, probability] of peaks) {
    data[step * 21 + label] = (data[step * 21 + label] ?? 0) + probability;
    data[step * 21] = (data[step * 21] ?? 0) - probability;
  }
  return { data, steps: length };
}

export function near(actual: number | undefined, expected: number, tolerance = 2e-4): void {
  const isNear = actual !== undefined && Math.abs(actual - expected) <= tolerance;
  assert.ok(isNear, `${actual} is not ${expected} ± ${tolerance}`);
}

/** @param pixels how far each corner may be off */
export function nearQuad(actual: Quad | undefined, expected: Corners, pixels = 0.01): void {
  for (const [i, [x, y]] of expected.entries()) {
    near(actual?.[i]?.x, x, pixels);
    near(actual?.[i]?.y, y, pixels);
  }
}
