import { bindWithoutGetter } from '../runtime/node-patches/bind-without-getter.js';
import { freeClosedStreams } from '../runtime/node-patches/free-closed-streams.js';
import { tuneV8 } from '../runtime/node-patches/tune-v8.js';
import { runService } from '../runtime/process/run-service.js';
import { findUnknown } from '../runtime/settings/read-settings.js';
import { createConfig, settings, toTarget } from './config.js';
import { startRestFacade } from './server/start-rest-facade.js';

bindWithoutGetter();
freeClosedStreams();
tuneV8();
await runService(process, {
  name: 'facade',
  readConfig: createConfig,
  findUnknown: (environment) => findUnknown(settings, 'REST_', environment),
  logLevelOf: (config) => config.REST_LOG_LEVEL,
  graceMsOf: (config) => config.REST_SHUTDOWN_GRACE_MS,
  async start(config, { log, tracing }) {
    const facade = await startRestFacade({ config, log, tracing });
    const core = toTarget(config.REST_CORE_ADDRESS);
    return {
      listens: { host: facade.host, port: facade.port, core },
      close: () => facade.close(),
    };
  },
});
