import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { median, quantile } from '../../bench/measure/statistics.js';

/** What the rounds so far showed. */
export interface FaultRecord {
  rounds: number;
  wrong: number;
  /** By what was killed: how long until a detection was answered again, and a change kept. */
  readonly recoveriesMs: { [killed: string]: number[] };
  /** Requests by what came of them. */
  readonly requests: { [outcome: string]: number };
}

/** @param file of an earlier run that goes on; absent or not there: a new one. */
export function readRecord(file: string | undefined): FaultRecord {
  if (file === undefined || !existsSync(file)) return { rounds: 0, wrong: 0, recoveriesMs: {}, requests: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as FaultRecord;
}

export function writeRecord(file: string, record: FaultRecord): void {
  // A run that is cut off while it writes leaves the one before.
  writeFileSync(`${file}.new`, JSON.stringify(record));
  renameSync(`${file}.new`, file);
}

export function describeRecord({ rounds, wrong, recoveriesMs, requests }: FaultRecord): string[] {
  const counts = Object.entries(requests).map(([what, count]) => `${count} ${what}`);
  const times = Object.entries(recoveriesMs).map(([killed, found]) => {
    const at = (share: number): string => quantile(found, share).toFixed(0);
    return `${killed} killed ${found.length} times; answers again after: median ${median(found).toFixed(0)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`;
  });
  return [`requests: ${counts.join(', ')}`, ...times.sort(), `${rounds} rounds: ${wrong} wrong`];
}
