import { setFlagsFromString } from 'node:v8';
import { createConfig } from './config.js';
import { startRestFacade } from './server.js';
import { runService } from '../runtime/run-service.js';

// Uploads lie outside V8's heap, but count towards the size at which all of it is collected: with the
// usual limit, less than twice what is in use, that came every hundred portraits. With five times it
// comes every six hundred; bench/README.md has the figures. Read at each collection.
setFlagsFromString('--heap-growing-percent=400');

await runService(process, {
  name: 'facade',
  readConfig: createConfig,
  logLevelOf: (config) => config.logLevel,
  async start(config, { log, tracing }) {
    const facade = await startRestFacade({ config, log, tracing });
    return {
      listens: { host: facade.host, port: facade.port, core: config.coreTarget },
      close: () => facade.close(),
    };
  },
});
