import { quantile } from '../../bench/measure/statistics.js';

/** One figure beside what is asked of it. */
export interface Line {
  readonly what: string;
  readonly measured: string;
  /** Absent: told, not asked. */
  readonly asked?: string;
  readonly isMet?: boolean;
}

/** `p50 / p99 / largest` of milliseconds. */
export function spread(values: readonly number[]): string {
  if (values.length === 0) return 'none';
  return [0.5, 0.99, 1].map((share) => quantile(values, share).toFixed(0)).join(' / ');
}

export function renderLines(title: string, lines: readonly Line[]): string {
  const cells = lines.map(({ what, measured, asked = '', isMet }) => [
    `  ${what}`,
    measured,
    asked,
    isMet === undefined ? '' : isMet ? 'met' : 'MISSED',
  ]);
  const widths = [50, 50, 34];
  return [
    title,
    ...cells.map((row) =>
      row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
  ].join('\n');
}
