import { putOthersBehindMainThread } from '../runtime/node-patches/thread-priority.js';
import { compileEarlier } from '../runtime/node-patches/v8-flags.js';
import { runService } from '../runtime/process/run-service.js';
import { findUnknown } from '../runtime/settings/read-settings.js';
import { createConfig, settings } from './compose/config.js';
import { startCore } from './compose/core.js';
import { describePlace } from './store/database.js';

await runService(process, {
  name: 'core',
  readConfig: createConfig,
  findUnknown: (environment) => findUnknown(settings, 'CORE_', environment),
  logLevelOf: (config) => config.CORE_LOG_LEVEL,
  graceMsOf: (config) => config.CORE_SHUTDOWN_GRACE_MS,
  async start(config, { log, tracing, stopping, fail }) {
    const core = await startCore({
      config,
      log,
      tracing,
      stopping,
      onHung: () => fail('a worker hangs in native code'),
    });
    // A launcher makes the first key, and tells so.
    if (core.isStoreNew && !process.connected) {
      const place = describePlace({ url: config.DATABASE_URL, dataDir: config.CORE_DATA_DIR });
      log.warn(`no API key was ever made in the configuration store ${place}`);
    }
    putOthersBehindMainThread(process.pid);
    compileEarlier();
    return {
      listens: {
        host: config.CORE_HOST,
        port: core.port,
        admin_host: core.adminPort && config.CORE_ADMIN_HOST,
        admin_port: core.adminPort,
        metrics_port: core.metricsPort,
      },
      tells: { isStoreNew: core.isStoreNew },
      close: () => core.close(),
    };
  },
});
