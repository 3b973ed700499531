import { type DestinationStream, type Logger, pino } from 'pino';

/** How much is kept of lines that cannot be written yet. */
const maxUnwrittenBytes = 2 ** 16;

/**
 * A JSON logger; one line per event, time in ISO 8601. Writes to standard output by default, each line
 * synchronously: a writer thread costs more, and a killed process would lose its last lines.
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
    // Messages of errors already name their causes where users see them; pino's own would repeat them.
    serializers: { err: pino.stdSerializers.errWithCause },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (options.destination) return pino(settings, options.destination);

  let lost = 0;
  const output = pino.destination({ sync: true, maxLength: maxUnwrittenBytes });
  // A full disk does not stop the service: what could not be written is retried with each further line.
  output.on('error', () => undefined);
  output.on('drop', () => {
    lost += 1;
    if (lost === 1) output.once('drain', tellLost);
  });
  const tellLost = () => {
    const lines = lost;
    lost = 0;
    log.warn({ lines }, 'log lines were lost: they could not be written');
  };
  // Without its flushSync, with which a `fatal` line would wait for space forever.
  const log = pino(settings, { write: (line) => void output.write(line) });
  return log;
}
