import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { createRequire } from 'node:module';
import { connect as connectTcp } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { before, describe, it, test, type TestContext } from 'node:test';
import {
  Client,
  type ClientReadableStream,
  credentials,
  type MethodDefinition,
  type ServiceError as GrpcError,
  status,
} from '@grpc/grpc-js';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { service as health } from 'grpc-health-check';
import descriptor from 'protobufjs/ext/descriptor/index.js';
import { MeterReadingServiceService, ReadMeterRequest } from '../../generated/imageanalysis/v1/meter_reading.js';
import { createLifetime } from '../helpers/lifetime.js';
import { detailsOf, unaryCall } from '../helpers/net/grpc.js';
import { grpcFrame } from '../helpers/net/grpc-frame.js';
import { openStage, scriptedPicture, scriptedWorkerUrl } from '../helpers/pictures/scripted-pictures.js';
import { readMeter, startScripted } from '../helpers/service/scripted-service.js';
import type { TestService } from '../helpers/service/service.js';
import { startTestCore } from '../helpers/service/start-core.js';

// What operators and their tools see of the core: health, reflection, and how it stops.

const publicServices = [
  'imageanalysis.v1.FaceDetectionService',
  'imageanalysis.v1.MeterReadingService',
  'imageanalysis.v1.ScoreConfigService',
  'imageanalysis.v1.VersionService',
];
const adminServices = ['imageanalysis.v1.AdminService'];

interface Health {
  readonly status: string;
}
const { Check: check, Watch: watch } = health as unknown as Record<
  'Check' | 'Watch',
  MethodDefinition<{ service: string }, Health>
>;

const connect = (t: Pick<TestContext, 'after'>, address: string): Client => {
  const client = new Client(address, credentials.createInsecure());
  t.after(() => client.close());
  return client;
};

/** The status of one service, or the code of the refusal. */
const checkHealth = (client: Client, service: string): Promise<string> =>
  unaryCall<Health | undefined>((done) =>
    client.makeUnaryRequest(check.path, check.requestSerialize, check.responseDeserialize, { service }, done),
  ).then(
    (answer) => answer?.status ?? '',
    (error: unknown) => status[(error as GrpcError).code] ?? '',
  );

const watchHealth = (client: Client, service: string): ClientReadableStream<Health> =>
  client.makeServerStreamRequest(watch.path, watch.requestSerialize, watch.responseDeserialize, { service });

interface ReflectionAnswer {
  readonly list_services_response: { readonly service: readonly { readonly name: string }[] };
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
}

async function askReflection(
  client: Client,
  request: Readonly<Record<string, string>>,
  version: 'v1' | 'v1alpha' = 'v1',
): Promise<ReflectionAnswer> {
  const call = reflect(client, version);
  call.end(request);
  const [answer] = (await once(call, 'data')) as [ReflectionAnswer];
  return answer;
}

/** Services that reflection of this version lists. */
async function listServices(client: Client, version: 'v1' | 'v1alpha'): Promise<string[]> {
  const answer = await askReflection(client, { list_services: '' }, version);
  return answer.list_services_response.service.map((service) => service.name).sort();
}

/** The files that a caller such as grpcurl gathers to call a service: its own, and all they import. */
async function gatherFiles(client: Client, service: string): Promise<Map<string, string[]>> {
  const imports = new Map<string, string[]>();
  const take = ({ file_descriptor_response: found }: ReflectionAnswer) => {
    for (const bytes of found?.file_descriptor_proto ?? []) {
      const file: object = descriptor.FileDescriptorProto.decode(bytes);
      const { name, dependency } = file as { name: string; dependency: string[] };
      imports.set(name, dependency);
    }
  };
  take(await askReflection(client, { file_containing_symbol: service }));
  for (const [, names] of imports)
    for (const name of names) if (!imports.has(name)) take(await askReflection(client, { file_by_filename: name }));
  return imports;
}

/** A reflection stream that was answered once and stays open. */
async function openReflection(client: Client) {
  const call = reflect(client, 'v1');
  call.write({ list_services: '' });
  await once(call, 'data');
  return call;
}

function reflect(client: Client, version: 'v1' | 'v1alpha') {
  const folder = path.dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'));
  const name = `grpc.reflection.${version}.ServerReflection`;
  const protos = loadSync(`build/proto/grpc/reflection/${version}/reflection.proto`, {
    includeDirs: [folder],
    keepCase: true,
  });
  const method = (protos[name] as ServiceDefinition)['ServerReflectionInfo'] as MethodDefinition<
    object,
    ReflectionAnswer
  >;
  const { requestSerialize, responseDeserialize } = method;
  return client.makeBidiStreamRequest(method.path, requestSerialize, responseDeserialize);
}

const lifetime = createLifetime();

describe('a core that serves', () => {
  let core: Client;
  let admin: Client;

  before(async () => {
    const { service } = await startScripted(lifetime);
    core = connect(lifetime, service.grpc);
    admin = connect(lifetime, service.admin.address);
  });

  it('is healthy as a whole and for each of its services, without a key', async () => {
    for (const name of ['', ...publicServices]) assert.equal(await checkHealth(core, name), 'SERVING', name);
    for (const name of ['', ...adminServices]) assert.equal(await checkHealth(admin, name), 'SERVING', name);
  });

  it('knows no health of what the port does not serve', async () => {
    for (const name of [...adminServices, 'imageanalysis.v1.FaceDetection', 'x'])
      assert.equal(await checkHealth(core, name), 'NOT_FOUND', name);
    for (const name of publicServices) assert.equal(await checkHealth(admin, name), 'NOT_FOUND', name);
  });

  it('lists health and its public services by reflection, and on the other port the administration', async () => {
    const health = 'grpc.health.v1.Health';
    for (const version of ['v1', 'v1alpha'] as const) {
      assert.deepEqual(await listServices(core, version), [health, ...publicServices]);
      assert.deepEqual(await listServices(admin, version), [health, ...adminServices]);
    }
  });

  it('tells by reflection all that is needed to call it', async () => {
    const imports = await gatherFiles(core, 'imageanalysis.v1.FaceDetectionService');
    for (const names of imports.values()) for (const name of names) assert.ok(imports.has(name), name);
    assert.ok(imports.get('imageanalysis/v1/face_detection.proto')?.includes('google/rpc/status.proto'));
    const ofAdmin = await gatherFiles(admin, 'imageanalysis.v1.AdminService');
    assert.ok(ofAdmin.has('google/protobuf/timestamp.proto'));
    const ofHealth = await gatherFiles(core, 'grpc.health.v1.Health');
    assert.deepEqual([...ofHealth.keys()], ['grpc/health/v1/health.proto']);
  });
});

const hasIPv6 = Object.values(networkInterfaces())
  .flat()
  .some((own) => own?.address === '::1');

test(
  'a core on an IPv6 address serves there, its metrics too',
  { skip: !hasIPv6 && 'this machine has no IPv6' },
  async (t) => {
    openStage(t);
    const settings = {
      CORE_HOST: '::1',
      CORE_METRICS_HOST: '::1',
      CORE_METRICS_PORT: '0',
      CORE_ADMIN_KEY: 'an administration key',
    };
    const core = await startTestCore(t, settings, { workerUrl: scriptedWorkerUrl });
    assert.equal(await checkHealth(connect(t, `[::1]:${core.port}`), ''), 'SERVING');
    assert.equal((await fetch(`http://[::1]:${core.metricsPort}/metrics`)).status, 200);
    // Where a service is to be reached, its administration is not yet.
    assert.equal(await checkHealth(connect(t, `127.0.0.1:${core.adminPort}`), ''), 'SERVING');
    assert.equal(await checkHealth(connect(t, `[::1]:${core.adminPort}`), ''), 'UNAVAILABLE');
  },
);

test('each port of a core listens on its own address', async (t) => {
  openStage(t);
  const hosts = { CORE_HOST: '127.0.0.2', CORE_ADMIN_HOST: '127.0.0.3', CORE_METRICS_HOST: '127.0.0.4' };
  const core = await startTestCore(t, { ...hosts, CORE_METRICS_PORT: '0' }, { workerUrl: scriptedWorkerUrl });
  assert.equal(await checkHealth(connect(t, `127.0.0.2:${core.port}`), ''), 'SERVING');
  assert.equal(await checkHealth(connect(t, `127.0.0.3:${core.adminPort}`), ''), 'SERVING');
  assert.equal((await fetch(`http://127.0.0.4:${core.metricsPort}/metrics`)).status, 200);
});

describe('a core that stops', () => {
  /** No call ends by its deadline meanwhile. */
  const start = (t: TestContext, graceMs: number) =>
    startScripted(t, {
      CORE_SHUTDOWN_GRACE_MS: String(graceMs),
      CORE_MAX_DEADLINE_MS: '600000',
      CORE_METRICS_PORT: '0',
    });

  const read = (service: TestService, name: string) =>
    readMeter(service, scriptedPicture(name, 'wait')).then(
      () => 'answered',
      (error: GrpcError) => {
        const hasDetails = error.metadata.get('grpc-status-details-bin').length > 0;
        return hasDetails ? detailsOf(error).reason : (status[error.code] ?? '');
      },
    );

  it('says NOT_SERVING at once, takes no calls, and answers the one under way', async (t) => {
    const { stage, service } = await start(t, 60_000);
    const watched = connect(t, service.grpc);
    const streams = ['', ...publicServices].map((name) => watchHealth(watched, name));
    const next = (stream: ClientReadableStream<Health>) => once(stream, 'data') as Promise<[Health]>;
    for (const answer of await Promise.all(streams.map(next))) assert.deepEqual(answer, [{ status: 'SERVING' }]);

    const running = read(service, 'running');
    await stage.waitForBegun(1);
    const later = streams.map(next);
    const ends = [...streams, await openReflection(watched)].map((stream) => once(stream, 'error'));
    const closed = service.closeCore();
    for (const answer of await Promise.all(later)) assert.deepEqual(answer, [{ status: 'NOT_SERVING' }]);
    // They have no end of their own, and the core would wait for them.
    for (const [error] of (await Promise.all(ends)) as [GrpcError][]) assert.equal(error.code, status.UNAVAILABLE);
    assert.equal(await read(service, 'late'), 'UNAVAILABLE');
    // To its end, since that is what one wants to see.
    assert.equal((await fetch(`http://127.0.0.1:${service.metricsPorts.core}/metrics`)).status, 200);

    stage.release('running');
    assert.equal(await running, 'NO_READING');
    await closed;
    assert.deepEqual(stage.begun, ['running']);
  });

  it('answers a picture that is still being sent', async (t) => {
    const { service } = await start(t, 60_000);
    const session = connectHttp2(`http://${service.grpc}`);
    t.after(() => session.destroy());
    await once(session, 'connect');
    const request = ReadMeterRequest.fromPartial({ image: scriptedPicture('slow', 'answer') });
    const message = grpcFrame(ReadMeterRequest.encode(request).finish());
    const upload = session.request({
      ':method': 'POST',
      ':path': MeterReadingServiceService.readMeter.path,
      'content-type': 'application/grpc',
      te: 'trailers',
      apikey: service.apiKey,
    });
    // A refusal has its status in the headers, or after them.
    const answered = new Promise((resolve) => {
      for (const event of ['response', 'trailers'])
        upload.on(event, (headers: Record<string, string>) => {
          if (headers['grpc-status'] !== undefined) resolve(headers['grpc-status']);
        });
    });
    upload.resume();
    upload.write(message.subarray(0, 10));
    // Answered on the same connection: what was sent before has arrived.
    await new Promise((resolve) => session.ping(resolve));

    const closed = service.closeCore();
    while ((await read(service, 'late')) !== 'UNAVAILABLE');
    upload.end(message.subarray(10));
    assert.equal(await answered, String(status.NOT_FOUND));
    await closed;
  });

  it('ends what is still under way when its time is over', async (t) => {
    const { stage, service } = await start(t, 300);
    const running = read(service, 'endless');
    await stage.waitForBegun(1);
    const closed = service.closeCore();
    assert.equal(await running, 'SHUTTING_DOWN');
    // Its worker would be waited for half a minute.
    stage.release('endless');
    await closed;
  });

  it('waits no longer for a client that never ends its side', async (t) => {
    const { service } = await start(t, 0);
    const port = Number(new URL(`http://${service.grpc}`).port);
    const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
    t.after(() => socket.destroy());
    socket.on('error', () => undefined); // the reset
    await once(socket, 'data'); // the core's settings
    await service.closeCore();
  });
});
