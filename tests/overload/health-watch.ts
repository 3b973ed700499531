import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServing, isHttpServing } from '../../launcher/is-serving.js';
import type { LaunchedService } from '../helpers/service/launched-service.js';
import { type Line, spread } from './lines.js';

const everyMs = 100;

/**
 * Asks what orchestrators ask, ten times a second each over a connection of its own: `/livez`,
 * `/readyz` and the gRPC health. What takes longer than a second is no answer to them.
 */
export function watchHealth(service: Pick<LaunchedService, 'restUrl' | 'grpcAddress'>): { stop(): Promise<Line> } {
  const probes = {
    '/livez': () => isHttpServing(`${service.restUrl}/livez`),
    '/readyz': () => isHttpServing(`${service.restUrl}/readyz`),
    'gRPC health': () => isGrpcServing(service.grpcAddress),
  };
  const timesMs: number[] = [];
  const bad: string[] = [];
  let isOver = false;
  const loops = Object.entries(probes).map(async ([name, isServing]) => {
    while (!isOver) {
      const askedAt = performance.now();
      if (!(await isServing())) bad.push(name);
      timesMs.push(performance.now() - askedAt);
      await sleep(everyMs);
    }
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(loops);
      return {
        what: 'health, ms p50 / p99 / max',
        measured: `${timesMs.length - bad.length} of ${timesMs.length} green, ${spread(timesMs)} ${[...new Set(bad)].join(', ')}`,
        asked: 'all green within 1 s',
        isMet: bad.length === 0,
      };
    },
  };
}
