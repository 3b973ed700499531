import path from 'node:path';
import type { LoadProcess } from '../load/load-process.js';
import type { PictureSet } from '../pictures.js';
import { startLimit } from './limit.js';
import { grpcTargets, restTargets, startCore, startFacade } from './service.js';
import { networkSystem, type System } from './system.js';

/** The limit and our two forms. */
interface OwnSystems {
  readonly systems: readonly System[];
  readonly core: System;
  readonly facade: System;
  /** `host:port` of that core. */
  readonly grpc: string;
}

/** Starts the limit, and core and facade as two processes. */
export async function startOwnSystems(options: {
  readonly root: URL;
  readonly folder: string;
  readonly pictures: readonly PictureSet[];
  readonly threads: number;
  readonly load: LoadProcess;
}): Promise<OwnSystems> {
  const { root, folder, pictures, threads, load } = options;
  const manifestUrl = new URL('models/manifest.json', root).href;
  const limit = await startLimit({ manifestUrl, sets: pictures, threads });
  const service = await startCore(path.join(folder, 'core'), threads);
  const rest = await startFacade(service);
  const core = networkSystem(load, {
    name: 'core',
    title: 'core over gRPC',
    pids: service.pids,
    takeWorkTimes: service.takeWorkTimes,
    targets: await grpcTargets(service, pictures),
    close: () => service.close(),
  });
  const facade = networkSystem(load, {
    name: 'facade',
    title: 'facade + core',
    pids: rest.pids,
    takeWorkTimes: rest.takeWorkTimes,
    targets: await restTargets(rest, pictures),
    close: () => rest.close(),
  });
  return { core, facade, grpc: service.grpc, systems: [limit, core, facade] };
}
