import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials as channel } from '@grpc/grpc-js';
import sharp from 'sharp';
import { quantile } from '../../bench/measure/statistics.js';
import { MeterReadingServiceClient, type ReadMeterResponse } from '../../generated/imageanalysis/v1/meter_reading.js';
import { eventually } from '../helpers/eventually.js';
import { metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { composeAvif, gridOf } from '../helpers/pictures/avif.js';
import { readSample } from '../helpers/pictures/samples.js';
import { countDetections, type Pods } from './pods.js';
import { findProcess, must, type Scenario, setReplicas, type Stage } from './scenarios.js';

/** The largest picture that is taken. */
const pictureBytes = 10 * 2 ** 20;
/** Most are refused at once: to send them anew in a tight loop would be what takes the processors. */
const pauseMs = 3_000;

/** Sends one request after the other from each of several clients, whatever comes of them, until it is stopped. */
function keepSending(clients: number, send: () => Promise<unknown>): { stop(): Promise<void> } {
  let stopped = false;
  const loops = Array.from({ length: clients }, async () => {
    while (!stopped) await send();
  });
  return {
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
  };
}

/** @returns the status and how long it took */
async function detect({ restUrl, credentials }: Stage, file: Blob): Promise<{ status: number; ms: number }> {
  const body = new FormData();
  body.append('file', file, 'a');
  const startedAt = performance.now();
  const answer = await fetch(`${restUrl}/face_detect_multi`, {
    method: 'POST',
    headers: { apikey: credentials.apiKey, 'x-company-password': credentials.password },
    body,
  });
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - startedAt };
}

/** A picture file made as large as it may be by bytes after its end. */
const padded = (file: Buffer): Buffer => Buffer.concat([file, Buffer.alloc(pictureBytes - file.length)]);

/** The most memory, in MiB, that the process of each pod has had. */
async function readPeaks(pods: Pods, app: string, file: string): Promise<string> {
  const peaks = (await pods.list(app)).map((pod) => {
    const status = readFileSync(`/proc/${findProcess(pod, file)}/status`, 'utf8');
    return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024).toFixed(0);
  });
  return peaks.join(' and ');
}

/** Has so many cores serve, each with one worker and a quarter of a processor, and measures what they answer. */
async function measureCores(stage: Stage, count: number): Promise<string> {
  const { pods } = stage;
  await setReplicas(pods, 'core', count, count);
  await pods.kubectl('set', 'resources', 'deployment/core', '--limits=cpu=250m', '--requests=cpu=50m');
  await pods.kubectl('set', 'env', 'deployment/core', 'CORE_WORKERS=1');
  await pods.kubectl('rollout', 'status', 'deployment/core', '--timeout=300s');
  const cores = await pods.untilReady('core', count);
  await pods.untilEnded('core');

  const portrait = new Blob([Buffer.from(await readSample('astronaut.jpg'))]);
  const times: number[] = [];
  const wrong: number[] = [];
  const load = keepSending(12, async () => {
    const { status, ms } = await detect(stage, portrait);
    times.push(ms);
    if (status !== 200) wrong.push(status);
  });
  const counts = () => Promise.all(cores.map(countDetections));
  await eventually(async () => (await counts()).every((number) => number > 20), 120_000);
  const [from, startedAt] = [times.length, performance.now()];
  await sleep(20_000);
  const measured = times.slice(from);
  const perSecond = measured.length / ((performance.now() - startedAt) / 1000);
  await load.stop();
  must(wrong.length === 0, `status ${wrong.join(', ')}`);
  const slow = quantile(measured, 0.99);
  return `${count}: ${perSecond.toFixed(1)} a second, 99 % within ${slow.toFixed(0)} ms`;
}

/** What is measured without the load of the scenarios. */
export const measurements: readonly Scenario[] = [
  {
    name: 'memory at the limits',
    async run(stage) {
      const { pods, credentials } = stage;
      await setReplicas(pods, 'core', 2, 2);
      const [core] = await pods.untilReady('core', 2);
      const listAll = async () => [...(await pods.list('core')), ...(await pods.list('facade'))];
      const before = await listAll();
      const side = 1_000;
      const grid = { type: 'grid', payload: gridOf(7, 7, 7 * side, 7 * side), side: 7 * side };
      const avif = padded(await composeAvif({ side, tiles: 49, derived: grid }));
      const create = { width: 7_000, height: 7_000, channels: 3, background: 'teal' } as const;
      const jpeg = padded(await sharp({ create }).jpeg().toBuffer());
      const meter = padded(await readSample('meter.jpg'));

      // A key may take four fifths of a queue.
      const { key = '' } = await pods.admin('keys', 'create', '--label', 'second');
      const client = new MeterReadingServiceClient(`${core?.address}:50051`, channel.createInsecure());
      const outcomes = new Map<string, number>();
      const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const pictures = [avif, meter, jpeg];
      let sent = 0;
      const read = async () => {
        sent += 1;
        const request = { image: pictures[sent % pictures.length] as Buffer, serialNumber: true };
        const metadata = metadataWithKey(sent % 2 === 0 ? key : credentials.apiKey);
        const options = { deadline: Date.now() + 60_000 };
        await unaryCall<ReadMeterResponse>((done) => client.readMeter(request, metadata, options, done)).then(
          () => count('read'),
          ({ details }: Error & { details: string }) => count(details),
        );
        await sleep(pauseMs);
      };
      const uploads = [avif, jpeg].map((file) => new Blob([Uint8Array.from(file)]));
      const upload = async () => {
        sent += 1;
        const { status } = await detect(stage, uploads[sent % uploads.length] as Blob).catch(() => ({ status: 0 }));
        count(`status ${status}`);
        await sleep(pauseMs);
      };
      const loads = [keepSending(72, read), keepSending(60, upload)];
      await sleep(90_000);
      await Promise.all(loads.map((load) => load.stop()));
      client.close();
      await pods.untilReady('core', 2);
      await pods.untilReady('facade', 2);
      const after = JSON.stringify(await listAll());
      must(after === JSON.stringify(before), `a pod was restarted: ${after}`);
      const cores = await readPeaks(pods, 'core', 'dist/core-server/main.js');
      const facades = await readPeaks(pods, 'facade', 'dist/rest-facade/main.js');
      const came = [...outcomes].map(([outcome, number]) => `${number} ${outcome}`).join(', ');
      return `cores of 3 GiB took ${cores} MiB, facades of 1.25 GiB ${facades} MiB (${came})`;
    },
  },
  {
    name: 'requests a second by cores',
    async run(stage) {
      const said: string[] = [];
      for (const count of [1, 2, 4]) said.push(await measureCores(stage, count));
      return said.join('; ');
    },
  },
];
