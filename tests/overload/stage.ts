import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { type LoadProcess, startLoadProcess } from '../../bench/load/load-process.js';
import type { Target } from '../../bench/load/messages.js';
import { createRunFolder } from '../../bench/systems/run-folder.js';
import { grpcTargets, restTargets } from '../../bench/systems/service.js';
import { findFreePorts } from '../../launcher/ports.js';
import { type LaunchedService, launchService } from '../helpers/service/launched-service.js';

/** How long the service gives a request; shorter than by default, so that all this ends sooner. */
export const requestTimeoutMs = 10_000;

/** A service to overload, and who does it. */
export interface Stage {
  readonly service: LaunchedService;
  /** How long a flood lasts. */
  readonly floodMs: number;
  /** Two callers with a key each. */
  readonly keys: readonly [flooder: string, other: string];
  /** Face detections with a key. */
  target(protocol: Protocol, apiKey: string): Promise<Target>;
  /** Processes of their own: one sends floods, one behaves. */
  readonly flooder: LoadProcess;
  readonly other: LoadProcess;
  /** A number of the core's metrics. */
  readMetric(name: string): Promise<number>;
  close(): Promise<void>;
}

export type Protocol = 'REST' | 'gRPC';

export async function openStage(options: {
  readonly picture: string;
  readonly floodMs: number;
  readonly log: (line: string) => void;
}): Promise<Stage> {
  const picture = path.join(createRunFolder('overload'), 'picture');
  await copyFile(options.picture, picture);
  const [metricsPort] = await findFreePorts(1);
  const service = await launchService({
    environment: {
      CORE_METRICS_PORT: String(metricsPort),
      CORE_MAX_DEADLINE_MS: String(requestTimeoutMs),
      REST_REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
    },
    log: options.log,
  });
  const created = await service.runAdmin(['keys', 'create', '--label', 'other']);
  const { key } = created as { key: string };
  const flooder = startLoadProcess();
  const other = startLoadProcess();
  return {
    service,
    floodMs: options.floodMs,
    keys: [service.demo.apiKey, key],
    flooder,
    other,
    async target(protocol, apiKey) {
      const sets = [{ name: 'vga', title: '', files: [picture] }] as const;
      const { vga } =
        protocol === 'REST'
          ? await restTargets({ rest: service.restUrl, apiKey }, sets)
          : await grpcTargets({ grpc: service.grpcAddress, apiKey }, sets);
      if (vga === undefined) throw new Error('there is no target');
      return vga;
    },
    async readMetric(name) {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      const lines = (await answer.text()).split('\n');
      return lines
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
    async close() {
      flooder.close();
      other.close();
      await service.stop();
    },
  };
}
