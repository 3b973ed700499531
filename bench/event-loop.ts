import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { service as health } from 'grpc-health-check';
import { pino } from 'pino';
import { createConfig } from '../core-server/compose/config.js';
import { startCore } from '../core-server/compose/core.js';
import { AdminServiceClient, type CreateApiKeyResponse } from '../generated/imageanalysis/v1/admin.js';
import { file, number, readOptions } from '../tests/helpers/command-line.js';
import { metadataWithKey, unaryCall } from '../tests/helpers/net/grpc.js';
import type { Load, LoadCounts } from './event-loop-load.js';

// Prints how free the core's event loop stays while its queue is kept full: what the loop's own clock
// says, and how long a health check over gRPC takes.
// node dist/bench/event-loop.js [--picture FILE] [--seconds 20] [--workers N] [--queue 64]

const values = readOptions({
  picture: file('samples/astronaut.jpg'),
  seconds: number(20),
  workers: number(availableParallelism()),
  queue: number(64),
});
const seconds = Number(values.seconds);
/** Between two health checks. */
const checkEveryMs = 20;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const root = new URL('../../', import.meta.url);
const dataDir = await mkdtemp(path.join(tmpdir(), 'event-loop-'));
const adminKey = 'admin-key-of-the-benchmark';
const core = await startCore({
  config: createConfig({
    CORE_PORT: '0',
    CORE_ADMIN_PORT: '0',
    CORE_ADMIN_KEY: adminKey,
    CORE_DATA_DIR: dataDir,
    CORE_WORKERS: values.workers,
    CORE_MAX_QUEUE: values.queue,
  }),
  log: pino({ level: 'silent' }),
  descriptorSet: new URL('generated/descriptors.binpb', root),
  manifestUrl: new URL('models/manifest.json', root),
});
const address = `127.0.0.1:${core.port}`;
try {
  const keys = await createKeys(2);
  say(`${values.workers} workers, queue of ${values.queue}, ${values.picture}, ${seconds} s each`);
  say('');
  say('                loop delay ms: p50    p99    max   health check ms: p50    p99    max');
  report('idle', await observe());
  const load = await startLoad(keys);
  report('queue full', await observe());
  const { answered, refused } = await load.stop();
  say('');
  say(`while full: ${answered} pictures answered, ${refused} refused with QUEUE_FULL`);
} finally {
  await core.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Keys of their own: one key fills four fifths of the queue at most. */
async function createKeys(count: number): Promise<string[]> {
  const admin = new AdminServiceClient(`127.0.0.1:${core.adminPort}`, credentials.createInsecure());
  const request = { label: 'benchmark', operations: [], expireTime: undefined };
  const secrets: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { secret } = await unaryCall<CreateApiKeyResponse>((done) =>
      admin.createApiKey(request, metadataWithKey('', { adminkey: adminKey }), done),
    );
    secrets.push(secret);
  }
  admin.close();
  return secrets;
}

/** More callers than workers and queue have room for, each of whom asks again and again. */
async function startLoad(apiKeys: readonly string[]) {
  const room = Number(values.queue) + Number(values.workers);
  const load: Load = { address, apiKeys, picture: values.picture, callers: room + 8 };
  const thread = new Worker(new URL('./event-loop-load.js', import.meta.url), { workerData: load });
  await once(thread, 'message'); // the queue is full
  return {
    async stop(): Promise<LoadCounts> {
      const ended = once(thread, 'exit');
      thread.postMessage('stop');
      const [counts] = (await once(thread, 'message')) as [LoadCounts];
      await ended;
      return counts;
    },
  };
}

interface Observed {
  readonly loop: readonly number[];
  readonly checks: readonly number[];
}

/** Percentiles 50 and 99 and the maximum, in milliseconds, of loop and health checks. */
async function observe(): Promise<Observed> {
  const check = health['Check'] as MethodDefinition<object, object>;
  const client = new Client(address, credentials.createInsecure());
  const { path: method, requestSerialize, responseDeserialize } = check;
  const times: number[] = [];
  const resolutionMs = 1;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    const startedAt = performance.now();
    await unaryCall((done) =>
      client.makeUnaryRequest(method, requestSerialize, responseDeserialize, { service: '' }, done),
    );
    times.push(performance.now() - startedAt);
    await sleep(checkEveryMs);
  }
  delay.disable();
  client.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  const toDelay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    loop: [delay.percentile(50), delay.percentile(99), delay.max].map(toDelay),
    checks: [at(0.5), at(0.99), at(1)].map((ms) => ms ?? NaN),
  };
}

function report(name: string, { loop, checks }: Observed): void {
  const cells = (numbers: readonly number[]) => numbers.map((ms) => ms.toFixed(1).padStart(6)).join(' ');
  say(`${name.padEnd(24)}${cells(loop).padStart(23)}${cells(checks).padStart(41)}`);
}
