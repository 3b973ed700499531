import { pino, type Logger, type DestinationStream } from 'pino';

/**
 * A JSON logger; one line an event, time in ISO 8601. Writes to standard output unless told otherwise, each
 * line at once: handing it to another thread costs more, and who is killed would lose its last lines.
 */
export function createLog(options: {
  readonly level: string;
  readonly service: string;
  readonly destination?: DestinationStream;
}): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Messages of errors name their causes where they are told to users; pino's own would say them twice.
    serializers: { err: pino.stdSerializers.errWithCause },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(settings, options.destination ?? pino.destination({ sync: true }));
}
