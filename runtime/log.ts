import { pino, type Logger, type DestinationStream } from 'pino';

/** Of lines that cannot be written so much is kept for later. */
const maxUnwrittenBytes = 2 ** 16;

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
  if (options.destination) return pino(settings, options.destination);

  let lost = 0;
  const output = pino.destination({ sync: true, maxLength: maxUnwrittenBytes });
  // A disk that is full ends no service: what could not be written is tried again with each further line.
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
  // Without its flushSync, by which a line of the level fatal would wait for room without end.
  const log = pino(settings, { write: (line) => void output.write(line) });
  return log;
}
