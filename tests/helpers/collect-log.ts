import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

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
  const watchers = new Set<() => void>();
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n').filter(Boolean)) {
        entries.push(JSON.parse(line) as LogEntry);
      }
      for (const watcher of watchers) watcher();
      done();
    },
  });
  return {
    log: pino({ level: 'debug' }, stream),
    entries,
    waitFor: (matches, timeoutMs = 5_000) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = entries.find(matches);
          if (found === undefined) return;
          clearTimeout(timer);
          watchers.delete(check);
          resolve(found);
        };
        const timer = setTimeout(() => {
          watchers.delete(check);
          reject(new Error(`No such log line within ${timeoutMs} ms.`));
        }, timeoutMs);
        watchers.add(check);
        check();
      }),
  };
}
