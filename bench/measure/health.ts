import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { MethodDefinition } from '@grpc/grpc-js';
import { service as healthService } from 'grpc-health-check';
import { startLoadProcess } from '../load/load-process.js';
import type { System } from '../systems/system.js';
import { quantile } from './statistics.js';

const ratePerSecond = 100;

/**
 * The 99th percentile of the core's health check in milliseconds, asked a hundred times a second by a process of its own
 * while 64 requests are under way, however long the checks before take: to wait for each would leave out most of those
 * that a stall meets. Infinite where one was not answered.
 */
export async function measureHealth(
  core: System,
  options: { grpc: string; folder: string; windowMs: number },
): Promise<number> {
  const { grpc, folder, windowMs } = options;
  const check = healthService['Check'] as MethodDefinition<{ service: string }, unknown>;
  const message = path.join(folder, 'health');
  await writeFile(message, check.requestSerialize({ service: '' }));
  const prober = startLoadProcess();
  const target = { kind: 'grpc', address: grpc, path: check.path, apiKey: 'none', messages: [message] } as const;
  const ask = (ms: number) => prober.run({ target, ratePerSecond, windowMs: ms });
  try {
    await ask(500);
    const busy = core.run({ set: 'vga', concurrency: 64, windowMs, minRequests: 1 });
    const { latenciesMs, refused, failed, unanswered } = await ask(windowMs);
    await busy;
    return refused + failed + unanswered > 0 ? Infinity : quantile(latenciesMs, 0.99);
  } finally {
    prober.close();
  }
}
