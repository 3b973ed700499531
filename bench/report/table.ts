import { type Ratios, type Requirement, requirements } from '../measure/ratios.js';
import type { Sample, SystemFacts } from '../measure/records.js';
import { median, quantile, sum } from '../measure/statistics.js';
import type { SetName } from '../pictures.js';

/** The figures of one system in one cell, over all rounds. */
export interface Row {
  readonly set: SetName;
  readonly concurrency: number;
  readonly system: string;
  /** Median of the rounds. */
  readonly throughput: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Median of the rounds. */
  readonly cpuMs: number | null;
  /** Share of the requests. */
  readonly refused: number;
  readonly failed: number;
}

/** Joins the rounds of each system in each cell, in the order in which they were first measured. */
export function toRows(samples: readonly Sample[]): Row[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.set} ${sample.concurrency} ${sample.system}`;
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { set, concurrency, system } = first;
    const latencies = group.flatMap(({ latenciesMs }) => latenciesMs);
    const times = group.flatMap(({ cpuMs }) => (cpuMs === undefined ? [] : [cpuMs]));
    const refused = sum(group.map((sample) => sample.refused));
    const failed = sum(group.map((sample) => sample.failed));
    const all = latencies.length + refused + failed;
    return {
      set,
      concurrency,
      system,
      throughput: median(group.map(({ throughput }) => throughput)),
      p50: quantile(latencies, 0.5),
      p95: quantile(latencies, 0.95),
      p99: quantile(latencies, 0.99),
      cpuMs: times.length > 0 ? median(times) : null,
      refused: refused / all,
      failed: failed / all,
    };
  });
}

/** The one table: every system in every cell. */
export function renderTable(
  rows: readonly Row[],
  systems: Readonly<Record<string, SystemFacts>>,
  titles: Readonly<Record<string, string>>,
): string {
  const head = ['', '1/s', 'p50 ms', 'p95', 'p99', 'CPU ms', 'refused', 'failed'];
  const lines: string[][] = [];
  let cell = '';
  for (const row of rows) {
    const here = `${titles[row.set]}, ${row.concurrency} at a time`;
    if (here !== cell) lines.push([], [here]);
    cell = here;
    lines.push([
      `  ${systems[row.system]?.title ?? row.system}`,
      row.throughput.toFixed(1),
      ...[row.p50, row.p95, row.p99].map((ms) => ms.toFixed(ms < 100 ? 1 : 0)),
      row.cpuMs?.toFixed(1) ?? '',
      ...[row.refused, row.failed].map((share) => (share > 0 ? `${(share * 100).toFixed(0)} %` : '')),
    ]);
  }
  return align([head, ...lines]);
}

/** Memory of each system, and what it found in the first picture of each set. */
export function renderFacts(systems: Readonly<Record<string, SystemFacts>>): string {
  const lines = Object.values(systems).map(({ title, residentBytes, peakBytes, found }) => [
    `  ${title}`,
    megabytes(median(residentBytes)),
    megabytes(peakBytes),
    Object.entries(found)
      .map(([set, words]) => `${set}: ${words}`)
      .join('; '),
  ]);
  return align([['memory', 'MB', 'peak MB', ' found'], ...lines], [3]);
}

/** Each ratio next to its target. */
export function renderRatios(ratios: Ratios): string {
  const lines = requirements.map(({ key, meaning, ...asked }) => [
    `  ${key}`,
    show(ratios[key]),
    bound(asked),
    ratios[key] === null ? 'not measured' : isMet(asked, ratios[key]) ? 'met' : 'MISSED',
    ` ${meaning}`,
  ]);
  return align([['ratios', 'now', 'target', ''], ...lines], [4]);
}

function isMet(asked: Pick<Requirement, 'atLeast' | 'atMost'>, value: number): boolean {
  return value >= (asked.atLeast ?? -Infinity) && value <= (asked.atMost ?? Infinity);
}

function bound({ atLeast, atMost }: Pick<Requirement, 'atLeast' | 'atMost'>): string {
  return atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`;
}

function show(value: number | null): string {
  return value === null ? '-' : value.toFixed(Math.abs(value) < 10 ? 2 : 0);
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined || Number.isNaN(bytes) ? '' : (bytes / 1e6).toFixed(0);
}

/** Columns of one width, the first and those named to the left. */
function align(lines: readonly (readonly string[])[], left: readonly number[] = []): string {
  const widths: number[] = [];
  for (const line of lines) {
    if (line.length < 2) continue;
    line.forEach((text, at) => (widths[at] = Math.max(widths[at] ?? 0, text.length)));
  }
  return lines
    .map((line) =>
      line
        .map((text, at) => {
          const isLeft = at === 0 || left.includes(at);
          return isLeft ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
