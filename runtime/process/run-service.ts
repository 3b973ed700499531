import type { Logger } from 'pino';
import { ConfigError } from '../errors/config-error.js';
import { createLog } from '../observe/log.js';
import { isTraced, loadTracing, noTracing, type Tracing } from '../observe/tracing.js';
import { exitCodeOf, exitCodes } from './exit-codes.js';
import { giveBackMemory } from './give-back-memory.js';
import { closeMs, type Serving, tellLauncher, whenToldToStop } from './launcher-channel.js';
import { watchMainThread } from './watch-main-thread.js';

/** A process that serves until it is told to stop. */
export interface ServiceProcess<Config> {
  readonly name: 'core' | 'facade';
  /** Throws a ConfigError. */
  readonly readConfig: (environment: Readonly<NodeJS.ProcessEnv>) => Config;
  /** Variables that look like settings but are not. */
  readonly findUnknown: (environment: Readonly<NodeJS.ProcessEnv>) => readonly string[];
  readonly logLevelOf: (config: Config) => string;
  /** How long work in progress may continue after the process was told to stop. */
  readonly graceMsOf: (config: Config) => number;
  /** Resolves when it serves; may reject with the reason of `stopping` once that is aborted. */
  readonly start: (
    config: Config,
    deps: {
      readonly log: Logger;
      readonly tracing: Tracing;
      readonly stopping: AbortSignal;
      /** Stops as if told to, for a reason that only a new process can fix, and exits as failed. */
      readonly fail: (reason: string) => void;
    },
  ) => Promise<{
    /** Where it listens, for the log. */
    readonly listens: Readonly<Record<string, unknown>>;
    /** What else a launcher should know. */
    readonly tells?: Omit<Serving, 'type'>;
    readonly close: () => Promise<void>;
  }>;
}

/**
 * Runs a service with the settings from the environment until it is told to stop. If it is still starting
 * then, it gives up or closes as soon as it serves. Invalid settings are reported on standard error,
 * everything else in the log. Sets the exit code; the process ends when nothing is left to do, or
 * is killed if a thread hangs in native code, which neither closing nor `process.exit` ends, or the main thread does.
 */
export async function runService<Config>(host: NodeJS.Process, service: ServiceProcess<Config>): Promise<void> {
  const { name, readConfig, findUnknown, logLevelOf, graceMsOf, start } = service;
  let log: Logger | undefined;
  const stopping = new AbortController();
  try {
    const config = readConfig(host.env);
    const ownLog = (log = createLog({ level: logLevelOf(config), service: name, fd: host.stdout.fd }));
    host.on('unhandledRejection', (reason) => {
      ownLog.fatal({ err: reason }, 'unhandled rejection');
      host.exit(exitCodes.failed);
    });
    const killAfterMs = graceMsOf(config) + closeMs;
    const kill = () => {
      ownLog.fatal({ killAfterMs }, 'did not end in time, killed');
      host.kill(host.pid, 'SIGKILL');
    };
    stopping.signal.addEventListener('abort', () => setTimeout(kill, killAfterMs).unref());
    // From the beginning: signals that it does not handle do not end the first process of a container.
    whenToldToStop(host, (by) => {
      if (stopping.signal.aborted) return;
      ownLog.info({ by }, 'stopping');
      stopping.abort();
    });
    const unknown = findUnknown(host.env);
    if (unknown.length > 0)
      log.warn({ variables: unknown }, 'there are no such settings; docs/configuration.md has those that are');
    const fail = (reason: string) => {
      ownLog.fatal({ reason }, 'failed');
      host.exitCode = exitCodes.failed;
      stopping.abort();
    };
    const tracing = isTraced(host.env) ? await loadTracing(`image-analysis-${name}`, log) : noTracing;
    const { listens, tells, close } = await start(config, { log, tracing, stopping: stopping.signal, fail });
    const stop = async () => {
      await close();
      ownLog.info('stopped');
    };
    if (stopping.signal.aborted) {
      void stop();
      return;
    }
    log.info(listens, 'serving');
    tellLauncher(host, { type: 'serving', ...tells });
    giveBackMemory(log);
    watchMainThread(name, log);
    stopping.signal.addEventListener('abort', () => void stop(), { once: true });
  } catch (error) {
    if (stopping.signal.aborted && error === stopping.signal.reason) {
      log?.info('stopped');
      return;
    }
    if (error instanceof ConfigError || log === undefined)
      host.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    else log.fatal({ err: error }, 'not started');
    host.exitCode = exitCodeOf(error);
  }
}
