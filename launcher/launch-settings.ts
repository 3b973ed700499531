import { createConfig as createCoreConfig } from '../core-server/compose/config.js';
import { createConfig as createFacadeConfig } from '../rest-facade/config.js';
import { ConfigError } from '../runtime/errors/config-error.js';
import { formatAddress } from '../runtime/net/addresses.js';

/** Where the two processes listen. Port 0 picks a free port. */
export type LaunchSettings = ReturnType<typeof createLaunchSettings>;

export interface Listener {
  readonly host: string;
  readonly port: number;
}

const tlsVariables = ['CORE_TLS_CERT', 'REST_TLS_CERT', 'REST_CORE_TLS_CA'];

/**
 * Reads what the launcher needs to know from the environment of both processes.
 *
 * @throws ConfigError that names the mistakes of both, so that they can be fixed together.
 */
export function createLaunchSettings(env: NodeJS.ProcessEnv) {
  const mistakes: string[] = [];
  const core = attempt(() => createCoreConfig(env), mistakes);
  const facade = attempt(() => createFacadeConfig(env), mistakes);
  for (const name of tlsVariables)
    if (env[name])
      mistakes.push(
        `${name} is set: this command serves without TLS, for one machine; for TLS start the core and the facade themselves (npm run start:core, npm run start:rest)`,
      );
  if (facade?.REST_ADMIN_PORT !== undefined && core && !core.CORE_ADMIN_KEY)
    mistakes.push(`REST_ADMIN_PORT is ${facade.REST_ADMIN_PORT}: want CORE_ADMIN_KEY too`);
  if (!core || !facade || mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return {
    core: {
      host: core.CORE_HOST,
      port: core.CORE_PORT,
      /** How long the process lets requests in flight run after it was told to stop. */
      shutdownGraceMs: core.CORE_SHUTDOWN_GRACE_MS,
    },
    facade: {
      host: facade.REST_HOST,
      port: facade.REST_PORT,
      shutdownGraceMs: facade.REST_SHUTDOWN_DELAY_MS + facade.REST_SHUTDOWN_GRACE_MS,
    },
    /** Only if administration over gRPC is enabled. */
    admin: core.CORE_ADMIN_KEY ? { host: core.CORE_ADMIN_HOST, port: core.CORE_ADMIN_PORT } : undefined,
  };
}

function attempt<T>(read: () => T, mistakes: string[]): T | undefined {
  try {
    return read();
  } catch (error) {
    mistakes.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

/** `host:port` to connect to from this machine, also for a listener on all addresses. */
export function toConnectAddress({ host, port }: Listener): string {
  return formatAddress({ host: toConnectHost(host), port });
}

/** The host to connect to from this machine: the listener's, or loopback if it listens on all addresses. */
export function toConnectHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '::1';
  return host;
}
