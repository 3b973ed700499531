import { type Logger, pino } from 'pino';
import { eventually } from './eventually.js';

/** A log line. */
export type LogEntry = Record<string, unknown>;

/** A logger whose lines a test can look at and wait for. */
export function collectLog(): {
  readonly log: Logger;
  readonly entries: LogEntry[];
  /** The first line that matches, there already or still to come. */
  waitFor(matches: (entry: LogEntry) => boolean, timeoutMs?: number): Promise<LogEntry>;
} {
  const entries: LogEntry[] = [];
  return {
    log: pino({ level: 'debug' }, { write: (line) => void entries.push(JSON.parse(line) as LogEntry) }),
    entries,
    waitFor: (matches, timeoutMs) => eventually(() => entries.find(matches), timeoutMs),
  };
}
