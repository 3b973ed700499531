import { createConfig, settings } from './config.js';
import { startRestFacade } from './server.js';
import { bindWithoutGetter } from '../runtime/bind-without-getter.js';
import { tuneV8 } from '../runtime/tune-v8.js';
import { runService } from '../runtime/run-service.js';
import { findUnknown } from '../runtime/settings.js';

bindWithoutGetter();
tuneV8();
await runService(process, {
  name: 'facade',
  readConfig: createConfig,
  findUnknown: (environment) => findUnknown(settings, 'REST_', environment),
  logLevelOf: (config) => config.logLevel,
  graceMsOf: (config) => config.shutdownGraceMs,
  async start(config, { log, tracing }) {
    const facade = await startRestFacade({ config, log, tracing });
    return {
      listens: { host: facade.host, port: facade.port, core: config.coreTarget },
      close: () => facade.close(),
    };
  },
});
