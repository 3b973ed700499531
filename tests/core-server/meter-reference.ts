import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Quad } from '../../core-server/meter/geometry.js';
import { type Crop, parseReaderRules } from '../../core-server/meter/reader-rules.js';

/** Of a strip, as the networks give them. */
export const steps = 56;

export type Corners = [number, number][];
export type Peak = [step: number, label: number, probability: number];

/** Hypotheses with what models/meter/assemble.py and strips.py make of them. */
export const reference = JSON.parse(
  readFileSync(new URL('../../../tests/core-server/meter-reference.json', import.meta.url), 'utf8'),
) as {
  rules: unknown;
  expanded: { quad: Corners; crops: { crop: Crop; quad: Corners }[] };
  cases: {
    name: string;
    hypotheses: {
      quad: Corners;
      counter: number;
      agrees: number;
      located: number;
      candidate: number;
      strips: { peaks: Peak[]; legible: number }[];
      weight: number;
      readings: Record<string, number>;
    }[];
    answer: {
      digits: string;
      redDigits: number;
      fractionSure: number;
      confidence: number;
      readable: boolean;
      alternatives: string[];
      wheels: { confidence: number; red: number; quad: Corners }[];
    } | null;
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

export const near = (actual: number | undefined, expected: number, tolerance = 2e-4): void =>
  assert.ok(
    actual !== undefined && Math.abs(actual - expected) <= tolerance,
    `${actual} is not ${expected}`,
  );
export const nearQuad = (actual: Quad | undefined, expected: Corners): void => {
  for (const [i, [x, y]] of expected.entries()) {
    near(actual?.[i]?.x, x, 0.01);
    near(actual?.[i]?.y, y, 0.01);
  }
};
