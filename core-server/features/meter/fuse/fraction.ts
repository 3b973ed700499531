import type { ReaderRules } from '../reader-rules.js';

/** How many wheels at the end are the fraction, and the probability of that. */
export interface Fraction {
  readonly wheels: number;
  readonly sure: number;
}

/** Fractions that are not in the list of usual ones are still possible. */
const unusual = 0.01;

/**
 * Red wheels are at the end: their most probable number by colour and by what is usual for this number of wheels,
 * with its probability. What the caller knows takes precedence over colour, if it leaves a wheel before the fraction.
 */
export function fractionOf(
  red: readonly number[],
  { fractionPrior }: Pick<ReaderRules, 'fractionPrior'>,
  known?: number,
): Fraction {
  if (known !== undefined && known < red.length) return { wheels: known, sure: 1 };
  const prior = fractionPrior[String(red.length)] ?? fractionPrior.other;
  const logs: number[] = [];
  for (let wheels = 0; wheels < Math.max(1, red.length - 1); wheels++) {
    const isRed = (at: number): boolean => at >= red.length - wheels;
    logs.push(
      red.reduce(
        (sum, r, at) => sum + Math.log(Math.max(isRed(at) ? r : 1 - r, 1e-3)),
        Math.log(prior[wheels] ?? unusual),
      ),
    );
  }
  const top = Math.max(...logs);
  const total = logs.reduce((sum, log) => sum + Math.exp(log - top), 0);
  return { wheels: logs.indexOf(top), sure: 1 / total };
}

/** The number of fraction wheels where its probability is `minSure` or more. */
export function wheelsFrom({ wheels, sure }: Fraction, minSure: number): number | undefined {
  return sure >= minSure ? wheels : undefined;
}
