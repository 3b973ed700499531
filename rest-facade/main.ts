import { createConfig } from './config.js';
import { createLog } from '../runtime/log.js';
import { ConfigError } from '../runtime/settings.js';
import { loadTracing } from '../runtime/tracing.js';
import { startRestFacade } from './server.js';

/** Starts the facade of the environment's configuration and stops it on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = createConfig(process.env);
  const log = createLog({ level: config.logLevel, service: 'rest-facade' });
  const facade = await startRestFacade({
    config,
    log,
    ...(process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] && {
      tracing: await loadTracing('image-analysis-facade'),
    }),
  });
  log.info({ host: facade.host, port: facade.port, core: config.coreTarget }, 'listening');

  const stop = (signal: string) => {
    log.info({ signal }, 'stopping');
    void facade.close().then(() => log.info('stopped'));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

main().catch((error: unknown) => {
  const text = error instanceof ConfigError ? error.message : (error as Error).stack;
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
});
