import { median } from '../../../bench/measure/statistics.js';
import { calibrationError, type Judged, reliability, wilson } from './meter-metrics.js';

/** A share with its 95 % interval. */
export interface Share {
  readonly total: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/** The figures of one row. */
export interface Summary {
  readonly photos: number;
  readonly integer: Share;
  readonly full: Share;
  readonly near: Share;
  readonly refused: Share;
  /** Of all photos those with the status ok, and of these the right ones. */
  readonly ok: Share;
  readonly rightOfOk: Share;
  readonly calibrationError: number;
  /** Median CPU milliseconds in the networks. */
  readonly networkMs: number;
}

/** Adds judged answers up. */
export function summarise(runs: readonly (Judged & { readonly ms: number })[]): Summary {
  const ok = runs.filter((run) => run.ok);
  const of = (list: readonly Judged[], is: (run: Judged) => boolean): Share =>
    shareOf(list.filter(is).length, list.length);
  return {
    photos: runs.length,
    integer: of(runs, (run) => run.integer),
    full: of(runs, (run) => run.full),
    near: of(runs, (run) => run.near),
    refused: of(runs, (run) => !run.answered),
    ok: shareOf(ok.length, runs.length),
    rightOfOk: of(ok, (run) => run.integer),
    calibrationError: calibrationError(reliability(runs)),
    networkMs: median(runs.map(({ ms }) => ms)),
  };
}

/** A table for people, a row for each entry. */
export function toTable(rows: readonly (readonly [string, Summary])[]): string[] {
  const wide = (text: string): string => text.padEnd(19);
  const title = ['source'.padEnd(16), 'photos']
    .concat(['integer %', 'full %', 'full ±1 %', 'ok %', 'right of ok %', 'refused %'].map(wide))
    .concat('  ECE', 'CPU ms in networks');
  const lines = rows.map(([name, row]) => [
    name.padEnd(16),
    String(row.photos).padStart(6),
    ...[row.integer, row.full, row.near, row.ok, row.rightOfOk, row.refused].map((share) => wide(percent(share))),
    row.calibrationError.toFixed(3),
    row.networkMs.toFixed(1).padStart(6),
  ]);
  return [title, ...lines].map((cells) => cells.join('  '));
}

/** `98.4 (94.3 to 99.6)`. */
export function percent({ total, share, low, high }: Share): string {
  if (total === 0) return '-';
  const [middle, from, to] = [share, low, high].map((x) => (100 * x).toFixed(1));
  return `${middle} (${from} to ${to})`;
}

export function shareOf(count: number, total: number): Share {
  return { total, share: total === 0 ? 0 : count / total, ...wilson(count, total) };
}
