import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createConfig } from '../core-server/compose/config.js';
import type { DemoCredentials } from '../core-server/compose/first-start.js';
import { closeMs } from '../runtime/process/launcher-channel.js';
import { coreEnvironment, facadeEnvironment } from './child-environment.js';
import { isHttpServing } from './is-serving.js';
import { createLaunchSettings, type LaunchSettings, toConnectAddress } from './launch-settings.js';
import { findFreePorts, holdPort, releasePort } from './ports.js';
import { supervise } from './supervise.js';

interface LaunchOptions {
  /** That of both processes. */
  readonly env: NodeJS.ProcessEnv;
  /** Receives one line at a time. */
  readonly log: (line: string) => void;
  /** Stops the start. */
  readonly signal: AbortSignal;
  /** Compiled files to run; for tests. */
  readonly files?: typeof defaultFiles;
  /** Registers a demo in the store of this environment; undefined if it is in use already. */
  readonly registerDemo?: (env: NodeJS.ProcessEnv) => Promise<DemoCredentials | undefined>;
  readonly startTimeoutMs?: number;
  /** Delay before restarts; for tests. */
  readonly backoffMs?: number | undefined;
}

export type Launched = Awaited<ReturnType<typeof launch>>;

/** Beyond the time after which a process kills itself, so that its log says so. */
const killAfterGraceMs = closeMs + 4_000;

const defaultFiles = { core: distFile('core-server/main.js'), facade: distFile('rest-facade/main.js') };

/**
 * Starts the core and the facade under supervision, waits until both serve, and registers a demo
 * company on a first start.
 *
 * @throws ConfigError, or Error with a sentence for the user if a port is taken, a process exits immediately or
 * the time is up; nothing is left running then. `signal.reason` when aborted.
 */
export async function launch(options: LaunchOptions) {
  const { env, log, signal, files = defaultFiles, startTimeoutMs = 120_000, backoffMs } = options;
  const { registerDemo = registerDemoFor } = options;
  const settings = await choosePorts(createLaunchSettings(env));
  const coreEnv = coreEnvironment(env, settings.core, settings.admin);
  const start = (name: 'core' | 'facade', env: NodeJS.ProcessEnv) => {
    const stopGraceMs = settings[name].shutdownGraceMs + killAfterGraceMs;
    return supervise({ backoffMs, name, file: files[name], env, log, stopGraceMs });
  };
  const core = start('core', coreEnv);
  const facade = start('facade', facadeEnvironment(env, settings.facade, settings.core, settings.admin));
  const failure = Promise.race([core.failure, facade.failure]);
  const stop = async () => {
    await facade.stop();
    await core.stop();
  };

  const grpcAddress = toConnectAddress(settings.core);
  const restUrl = `http://${toConnectAddress(settings.facade)}`;
  // The facade is ready once the core serves it.
  const isServing = async () =>
    core.serving !== undefined && facade.serving !== undefined && (await isHttpServing(`${restUrl}/readyz`));
  const deadline = performance.now() + startTimeoutMs;
  try {
    while (!(await isServing())) {
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new Error(`the service does not answer after ${startTimeoutMs} ms`);
      await Promise.race([sleep(20), failure]);
    }
    core.markReady();
    facade.markReady();
    signal.throwIfAborted();
    // Once started, this runs to its end even if the start is aborted meanwhile: the credentials cannot be shown again.
    const demo = core.serving?.isStoreNew ? await registerDemo(coreEnv) : undefined;
    return {
      /** Address of the REST API, without a slash at the end. */
      restUrl,
      /** `host:port` of the gRPC API. */
      grpcAddress,
      /** Created on a first start, otherwise undefined. */
      demo,
      /** Rejects with a sentence for the user when a process fails again and again; never resolves. */
      failure,
      /** Process ids; undefined between two runs. */
      pids: () => ({ core: core.pid, facade: facade.pid }),
      /** Stops the facade first, then the core, so that requests in flight can finish. */
      stop,
      kill() {
        facade.kill();
        core.kill();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the listeners with real ports. Fails if one cannot be had; the processes would say so too, but less helpfully. */
async function choosePorts({ core, facade, admin }: LaunchSettings) {
  const all = { CORE: core, REST: facade, ...(admin && { CORE_ADMIN: admin }) };
  const wanted = Object.entries(all).filter(([, { port }]) => port !== 0);
  const held: Server[] = [];
  const mistakes: string[] = [];
  try {
    // Together, since the system knows which of them exclude each other, and what is free beside them.
    for (const [name, { host, port }] of wanted)
      try {
        held.push(await holdPort({ host, port }));
      } catch (error) {
        mistakes.push(`${(error as Error).message}; set ${name}_PORT or ${name}_HOST to another`);
      }
    if (mistakes.length > 0) throw new Error(mistakes.join('\n'));

    const [corePort = 0, facadePort = 0, adminPort = 0] = await findFreePorts(3);
    return {
      core: { ...core, port: core.port || corePort },
      facade: { ...facade, port: facade.port || facadePort },
      admin: admin && { ...admin, port: admin.port || adminPort },
    };
  } finally {
    await Promise.all(held.map(releasePort));
  }
}

function distFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** Loads the libraries of the store, which the launcher needs for nothing else. */
async function registerDemoFor(env: NodeJS.ProcessEnv): Promise<DemoCredentials | undefined> {
  const { registerDemo } = await import('../core-server/compose/first-start.js');
  const { DATABASE_URL: url, CORE_DATA_DIR: dataDir } = createConfig(env);
  return registerDemo({ url, dataDir }).catch((cause: Error) => {
    throw new Error(`the demo company cannot be registered: ${cause.message}`, { cause });
  });
}
