import { readFile } from 'node:fs/promises';
import { createConfig as createCoreConfig } from '../core-server/compose/config.js';
import { createConfig as createFacadeConfig } from '../rest-facade/config.js';
import { ConfigError } from '../runtime/errors/config-error.js';
import { exitCodeOf, exitCodes } from '../runtime/process/exit-codes.js';
import { isGrpcServing, isHttpServing, isListening, whichProcess } from './is-serving.js';
import { toConnectAddress, toConnectHost } from './launch-settings.js';

// `node dist/launcher/health-main.js [core|facade]`: exits 0 if that process on this machine is serving; for
// images without curl. Without an argument, in a container, it checks whatever the container was started as.
// Address and TLS come from the settings of the process.

/** As long as an orchestrator may wait: it ends the check itself once that is too long for it. */
const timeoutMs = 15_000;

const checks = new Map(Object.entries({ core, facade }));
try {
  const name = process.argv[2] ?? whichProcess(await readFile('/proc/1/cmdline', 'utf8'));
  const check = checks.get(name);
  if (!check) throw new ConfigError(`the process is "${name}", want ${[...checks.keys()].join(' or ')}`);
  process.exit((await check()) ? 0 : exitCodes.failed);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(exitCodeOf(error));
}

async function core(): Promise<boolean> {
  const config = createCoreConfig(process.env);
  const listener = { host: config.CORE_HOST, port: config.CORE_PORT };
  // It has no client certificate that the core accepts. The port opens only once the core can serve.
  if (config.CORE_TLS_CLIENT_CA !== undefined)
    return isListening({ ...listener, host: toConnectHost(listener.host) }, timeoutMs);
  return isGrpcServing(toConnectAddress(listener), config.CORE_TLS_CERT !== undefined, timeoutMs);
}

function facade(): Promise<boolean> {
  const config = createFacadeConfig(process.env);
  const scheme = config.REST_TLS_CERT === undefined ? 'http' : 'https';
  const listener = { host: config.REST_HOST, port: config.REST_PORT };
  return isHttpServing(`${scheme}://${toConnectAddress(listener)}/readyz`, timeoutMs);
}
