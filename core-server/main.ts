import { createConfig, type CoreConfig } from './config.js';
import { startCore } from './core.js';
import { createLog } from '../runtime/log.js';
import { ConfigError } from '../runtime/settings.js';
import { loadTracing } from '../runtime/tracing.js';

// From dist/core-server/ to the root of the project.
const root = new URL('../../', import.meta.url);

const config = readConfig();
const log = createLog({ level: config.CORE_LOG_LEVEL, service: 'core' });

process.on('unhandledRejection', (reason) => {
  log.fatal({ err: reason }, 'unhandled rejection');
  process.exit(1);
});

try {
  const core = await startCore({
    config,
    log,
    ...(process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] && {
      tracing: await loadTracing('image-analysis-core'),
    }),
    descriptorSet: new URL('generated/descriptors.binpb', root),
    manifestUrl: new URL('models/manifest.json', root),
  });
  log.info({ host: config.CORE_HOST, port: core.port, admin_port: core.adminPort }, 'core serves');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void stop(core, signal));
  }
} catch (error) {
  if (error instanceof ConfigError) refuseConfig(error);
  log.fatal({ err: error }, 'core did not start');
  process.exitCode = 1;
}

async function stop(core: { close(): Promise<void> }, signal: string): Promise<void> {
  log.info({ signal }, 'core stops');
  await core.close();
  log.info('core stopped');
}

function readConfig(): CoreConfig {
  try {
    return createConfig(process.env);
  } catch (error) {
    refuseConfig(error as Error);
  }
}

function refuseConfig({ message }: Error): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
