import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { loadManifest } from '../../core-server/inference/models/manifest.js';
import { createFaceReplay } from './face-replay.js';
import type { LimitAnswer, LimitOrder, LimitSettings } from './messages.js';
import { createMeterReplay } from './meter-replay.js';

// One thread of the limit: decodes, resizes and runs the networks, nothing else.

if (parentPort === null) throw new Error('This module runs in a worker thread only.');
const port = parentPort;
const { manifestUrl, sets } = workerData as LimitSettings;

sharp.cache(false);
sharp.concurrency(1);

const manifestAt = new URL(manifestUrl);
const manifest = await loadManifest(manifestAt);
const face = await createFaceReplay(manifest, manifestAt);
const meter = await createMeterReplay(manifest, manifestAt);

/** What to do for each picture of each set, found out once with the service's own code. */
const replays = new Map<string, (() => Promise<void>)[]>();
for (const { name, files } of sets) {
  const prepare = name === 'meter' ? meter : face;
  const prepared: (() => Promise<void>)[] = [];
  for (const file of files) prepared.push(await prepare(await readFile(file)));
  replays.set(name, prepared);
}

port.on('message', (order: LimitOrder) => {
  void run(order).then((answer) => port.postMessage(answer));
});
port.postMessage('ready');

async function run({ set, windowMs, minRequests }: LimitOrder): Promise<LimitAnswer> {
  const todo = replays.get(set) ?? [];
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  while (performance.now() - startedAt < windowMs || latenciesMs.length < minRequests) {
    const before = performance.now();
    await todo[latenciesMs.length % todo.length]?.();
    latenciesMs.push(performance.now() - before);
  }
  return { latenciesMs, elapsedMs: performance.now() - startedAt };
}
