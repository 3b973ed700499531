import { pino, type DestinationStream, type Logger } from 'pino';

/**
 * A JSON logger whose lines are of one shape with those of the core: `level` by name, `time` in
 * ISO 8601, `service`. Writes to standard output unless told otherwise.
 */
export function createLog(options: {
  readonly level: string;
  readonly destination?: DestinationStream;
}): Logger {
  const settings = {
    level: options.level,
    base: { service: 'rest-facade' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}
