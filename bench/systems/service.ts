import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DetectAllFacesRequest } from '../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterRequest } from '../../generated/imageanalysis/v1/meter_reading.js';
import { coreEnvironment, facadeEnvironment } from '../../launcher/child-environment.js';
import { isGrpcServing, isHttpServing } from '../../launcher/is-serving.js';
import { findFreePorts } from '../../launcher/ports.js';
import { nodeOptions } from '../../runtime/node-patches/v8-flags.js';
import type { Target } from '../load/messages.js';
import type { PictureSet, SetName } from '../pictures.js';
import { startChild } from './child.js';
import { readWorkTimes, type WorkTimes } from './work-times.js';

const dist = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** Our own processes, and how to talk to them. */
interface RunningService {
  readonly pids: readonly number[];
  /** `host:port` of the core. */
  readonly grpc: string;
  readonly rest: string | undefined;
  readonly apiKey: string;
  /** Of the core. */
  readonly takeWorkTimes: WorkTimes;
  close(): Promise<void>;
}

/** A process of the service, run as the launcher runs it. */
function startNode(file: string, env: NodeJS.ProcessEnv) {
  return startChild(process.execPath, [...nodeOptions, dist(file)], { env });
}

/** The core alone, in the environment that the launcher would give it. */
export async function startCore(dataDir: string, workers: number): Promise<RunningService> {
  const [port = 0] = await findFreePorts(1);
  const env = coreEnvironment(
    { ...process.env, CORE_DATA_DIR: dataDir, CORE_WORKERS: String(workers) },
    { host: '127.0.0.1', port },
  );
  const grpc = `127.0.0.1:${port}`;
  const { pid, stdout, ready, stop } = startNode('core-server/main.js', env);
  const takeWorkTimes = readWorkTimes(stdout);
  await ready(() => isGrpcServing(grpc));
  const { stdout: made } = await promisify(execFile)(
    process.execPath,
    [dist('core-server/admin-cli.js'), 'keys', 'create', '--label', 'bench', '--json'],
    { env },
  );
  const { key: apiKey } = JSON.parse(made) as { key: string };
  return { pids: [pid], grpc, rest: undefined, apiKey, takeWorkTimes, close: stop };
}

/** A facade beside a core that runs already. */
export async function startFacade(core: RunningService): Promise<RunningService> {
  const [port = 0] = await findFreePorts(1);
  const [host = '', corePort] = core.grpc.split(':');
  const env = facadeEnvironment(
    { ...process.env, REST_CORE_ADDRESS: core.grpc },
    { host: '127.0.0.1', port },
    { host, port: Number(corePort) },
  );
  const rest = `http://127.0.0.1:${port}`;
  const { pid, ready, stop } = startNode('rest-facade/main.js', env);
  await ready(() => isHttpServing(`${rest}/readyz`));
  return { ...core, pids: [...core.pids, pid], rest, close: stop };
}

/** What `make run` starts, once it is ready. @returns stops it */
export async function startLauncher(dataDir: string, workers: number): Promise<() => Promise<void>> {
  const env = { ...process.env, CORE_DATA_DIR: dataDir, CORE_WORKERS: String(workers), CORE_PORT: '0', REST_PORT: '0' };
  const { stdout, ready, stop } = startChild(process.execPath, [dist('launcher/main.js')], { env });
  let isReady = false;
  createInterface({ input: stdout }).on('line', (line) => {
    isReady ||= line.startsWith('ready ');
  });
  await ready(() => Promise.resolve(isReady));
  return stop;
}

/** Requests for boxes and scores without crops, straight to the core. */
export async function grpcTargets(
  service: Pick<RunningService, 'grpc' | 'apiKey'>,
  sets: readonly PictureSet[],
): Promise<Partial<Record<SetName, Target>>> {
  const targets: Partial<Record<SetName, Target>> = {};
  for (const { name, files } of sets) {
    const isMeter = name === 'meter';
    const messages: string[] = [];
    for (const file of files) {
      const image = await readFile(file);
      const message = isMeter
        ? ReadMeterRequest.encode(ReadMeterRequest.fromPartial({ image }))
        : DetectAllFacesRequest.encode(DetectAllFacesRequest.fromPartial({ image, crop: false }));
      messages.push(`${file}.grpc`);
      await writeFile(`${file}.grpc`, message.finish());
    }
    targets[name] = {
      kind: 'grpc',
      address: service.grpc,
      path: isMeter
        ? '/imageanalysis.v1.MeterReadingService/ReadMeter'
        : '/imageanalysis.v1.FaceDetectionService/DetectAllFaces',
      apiKey: service.apiKey,
      messages,
    };
  }
  return targets;
}

/** The same by REST. */
export async function restTargets(
  service: Pick<RunningService, 'rest' | 'apiKey'>,
  sets: readonly PictureSet[],
): Promise<Partial<Record<SetName, Target>>> {
  const targets: Partial<Record<SetName, Target>> = {};
  for (const set of sets) {
    const isMeter = set.name === 'meter';
    targets[set.name] = await multipartTarget(
      `${service.rest}/${isMeter ? 'meter-number-ocr/file' : 'face_detect_multi'}`,
      set,
      { fields: isMeter ? {} : { crop: 'false' }, headers: { apikey: service.apiKey } },
    );
  }
  return targets;
}

/** A form with a picture in the part `file`. */
export async function multipartTarget(
  url: string,
  { files }: PictureSet,
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: object } = {},
): Promise<Target> {
  const boundary = 'bench-0123456789abcdef';
  const bodies: string[] = [];
  for (const file of files) {
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="p.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`;
    const name = `${file}.${Object.keys(fields).join('-')}.form`;
    const tail = `\r\n--${boundary}--\r\n`;
    await writeFile(name, Buffer.concat([Buffer.from(parts.join('') + head), await readFile(file), Buffer.from(tail)]));
    bodies.push(name);
  }
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return { kind: 'http', url, headers: { ...headers, ...type }, bodies };
}
