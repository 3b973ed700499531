import path from 'node:path';
import type { LoadProcess } from '../load/load-process.js';
import type { PictureSet } from '../pictures.js';
import { startLimit } from './limit.js';
import { grpcTargets, restTargets, startCore, startFacade, startLauncher } from './service.js';
import { networkSystem, type System } from './system.js';

/** The limit and our three forms. */
interface OwnSystems {
  readonly systems: readonly System[];
  readonly core: System;
  /** Those that are asked by REST. */
  readonly facades: readonly System[];
  /** `host:port` of that core. */
  readonly grpc: string;
}

/** Starts the limit, core and facade as two processes, and what `make run` starts. */
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
  const facade = await startFacade(service);
  const launcher = await startLauncher(path.join(folder, 'launcher'), threads);
  const core = networkSystem(load, {
    name: 'core',
    title: 'core over gRPC',
    pids: service.pids,
    takeWorkTimes: service.takeWorkTimes,
    targets: await grpcTargets(service, pictures),
    close: () => service.close(),
  });
  const facades = [
    networkSystem(load, {
      name: 'facade',
      title: 'facade + core',
      pids: facade.pids,
      takeWorkTimes: facade.takeWorkTimes,
      targets: await restTargets(facade, pictures),
      close: () => facade.close(),
    }),
    networkSystem(load, {
      name: 'launcher',
      title: 'make run, REST',
      pids: launcher.pids,
      targets: await restTargets(launcher, pictures),
      close: () => launcher.close(),
    }),
  ];
  return { core, facades, grpc: service.grpc, systems: [limit, core, ...facades] };
}
