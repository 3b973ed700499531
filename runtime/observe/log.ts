import { type Logger, pino } from 'pino';

/** How much is kept of lines that cannot be written yet. */
const maxUnwrittenBytes = 2 ** 16;
const tryAgainMs = 100;

/**
 * A JSON logger; one line per event, time in ISO 8601. Lines to standard output are written synchronously: a writer
 * thread costs more, and a killed process would lose its last lines.
 */
export function createLog(options: {
  readonly level: string;
  readonly service: string;
  /** `process.stdout.fd`: once it is asked for, a pipe or a socket is non-blocking, and its reader may stop reading. */
  readonly fd: number;
}): Logger {
  const settings = {
    level: options.level,
    base: { service: options.service },
    timestamp: pino.stdTimeFunctions.isoTime,
    // Messages of errors already name their causes where users see them; pino's own would repeat them.
    serializers: { err: pino.stdSerializers.errWithCause },
    formatters: { level: (label: string) => ({ level: label }) },
  };

  let lost = 0;
  let again: NodeJS.Timeout | undefined;
  const output = pino.destination({
    fd: options.fd,
    sync: true,
    maxLength: maxUnwrittenBytes,
    // It would wait for the reader, and nothing else would be done meanwhile.
    retryEAGAIN: () => false,
  });
  // A full disk does not stop the service, nor does a full pipe: what could not be written is retried.
  output.on('error', () => {
    again ??= setTimeout(() => {
      again = undefined;
      output.write('');
    }, tryAgainMs).unref();
  });
  output.on('drop', () => {
    lost += 1;
    if (lost === 1) output.once('drain', tellLost);
  });
  const tellLost = () => {
    const lines = lost;
    lost = 0;
    log.warn({ lines }, 'log lines were lost: they could not be written');
    // Was it lost itself, it counts as those that it tells of.
    if (lost > 0) lost = lines;
  };
  // Without its flushSync, with which a `fatal` line would wait for space forever.
  const log = pino(settings, { write: (line) => void output.write(line) });
  return log;
}
