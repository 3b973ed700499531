import { freeHttp2Streams } from '../runtime/node-patches/free-http2-streams.js';
import { collectRarely, compileEarlier } from '../runtime/node-patches/v8-flags.js';
import { runService } from '../runtime/process/run-service.js';
import { findUnknown } from '../runtime/settings/read-settings.js';
import { createConfig, settings } from './config.js';
import { startRestFacade } from './server/start-rest-facade.js';

freeHttp2Streams();
collectRarely();
await runService(process, {
  name: 'facade',
  readConfig: createConfig,
  findUnknown: (environment) => findUnknown(settings, 'REST_', environment),
  logLevelOf: (config) => config.REST_LOG_LEVEL,
  graceMsOf: (config) => config.REST_SHUTDOWN_DELAY_MS + config.REST_SHUTDOWN_GRACE_MS,
  async start(config, { log, tracing }) {
    const facade = await startRestFacade({ config, log, tracing });
    compileEarlier();
    return {
      listens: {
        host: facade.host,
        port: facade.port,
        admin_port: facade.adminPort,
        metrics_port: facade.metricsPort,
        core: config.REST_CORE_ADDRESS,
      },
      close: () => facade.close(),
    };
  },
});
