import type { Logger } from 'pino';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { createLog } from './log.js';
import { ConfigError } from './settings.js';
import { loadTracing, noTracing, type Tracing } from './tracing.js';

/** A process that serves until it is told to stop. */
export interface Service<Config> {
  readonly name: 'core' | 'facade';
  /** Throws a ConfigError. */
  readonly readConfig: (environment: Readonly<NodeJS.ProcessEnv>) => Config;
  readonly logLevelOf: (config: Config) => string;
  /** Resolves when it serves. */
  readonly start: (
    config: Config,
    deps: { readonly log: Logger; readonly tracing: Tracing },
  ) => Promise<{
    /** Where it does, for the log. */
    readonly listens: Readonly<Record<string, unknown>>;
    readonly close: () => Promise<void>;
  }>;
}

/**
 * Runs a service: by the settings of the environment, until SIGTERM, or SIGINT where no
 * launcher is there to decide who stops first. Mistaken settings are told on standard error, everything
 * else in the log. Sets the exit code; the process ends when nothing is left to do.
 *
 * @param host the process
 */
export async function runService<Config>(
  host: NodeJS.Process,
  service: Service<Config>,
): Promise<void> {
  const { name, readConfig, logLevelOf, start } = service;
  let log: Logger | undefined;
  try {
    const config = readConfig(host.env);
    const ownLog = (log = createLog({ level: logLevelOf(config), service: name }));
    host.on('unhandledRejection', (reason) => {
      ownLog.fatal({ err: reason }, 'unhandled rejection');
      host.exit(exitCodes.failed);
    });
    const isTraced = Boolean(host.env['OTEL_EXPORTER_OTLP_ENDPOINT']);
    const tracing = isTraced ? await loadTracing(`image-analysis-${name}`) : noTracing;
    const { listens, close } = await start(config, { log, tracing });
    log.info(listens, 'serving');
    const stop = async (signal: string) => {
      ownLog.info({ signal }, 'stopping');
      await close();
      ownLog.info('stopped');
    };
    const signals = host.connected ? ['SIGTERM'] : ['SIGTERM', 'SIGINT'];
    for (const signal of signals) host.once(signal, () => void stop(signal));
  } catch (error) {
    if (error instanceof ConfigError || log === undefined) host.stderr.write(`${textOf(error)}\n`);
    else log.fatal({ err: error }, 'not started');
    host.exitCode = exitCodeOf(error);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
