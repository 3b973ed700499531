import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createRunFolder } from '../../../bench/systems/run-folder.js';
import type { DemoCredentials } from '../../../core-server/compose/first-start.js';
import { launch, type Launched } from '../../../launcher/launch.js';

/** The processes of `make run`, on free ports of this machine and with a store of their own, which ends with this process. */
export interface LaunchedService extends Launched {
  readonly demo: DemoCredentials;
  /** Runs the admin command on the store. */
  readonly runAdmin: (args: readonly string[]) => Promise<unknown>;
}

const adminCli = fileURLToPath(new URL('../../../core-server/admin-cli.js', import.meta.url));

/** @param options.environment settings of both processes that differ from the defaults. */
export async function launchService(options: {
  readonly environment?: Readonly<Record<string, string>>;
  /** Gets what the launcher says, such as that a process ended. */
  readonly log?: (line: string) => void;
  readonly backoffMs?: number;
}): Promise<LaunchedService> {
  const env = {
    ...process.env,
    DATABASE_URL: '',
    CORE_PORT: '0',
    REST_PORT: '0',
    CORE_DATA_DIR: createRunFolder('service'),
    CORE_LOG_LEVEL: 'fatal',
    REST_LOG_LEVEL: 'fatal',
    ...options.environment,
  };
  const { demo, ...service } = await launch({
    env,
    log: options.log ?? (() => undefined),
    signal: new AbortController().signal,
    backoffMs: options.backoffMs,
  });
  if (demo === undefined) throw new Error('the store is new, and was started on before');
  return {
    ...service,
    demo,
    async runAdmin(args) {
      const { stdout } = await promisify(execFile)(process.execPath, [adminCli, ...args, '--json'], { env });
      return JSON.parse(stdout) as unknown;
    },
  };
}
