import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, test, type TestContext } from 'node:test';
import { credentials, type ServiceError as GrpcError, status } from '@grpc/grpc-js';
import { waitingMessageBytes } from '../../core-server/rpc/grpc-js-patches/limit-messages.js';
import {
  type DetectAllFacesResponse,
  FaceDetectionServiceClient,
  type StreamDetectFacesResponse,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { collectGarbage } from '../../runtime/node-patches/v8-flags.js';
import { eventually, untilStill } from '../helpers/eventually.js';
import { detailsOf, detailsOfStatus, metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { readSample } from '../helpers/pictures/samples.js';
import { scriptedPicture } from '../helpers/pictures/scripted-pictures.js';
import { startScripted } from '../helpers/service/scripted-service.js';
import { startService, type TestService } from '../helpers/service/service.js';

// Bulk streams against the whole core, over real gRPC.

test('a stream has an answer for each picture, good or bad, and waits where the queue is full', async (t) => {
  const service = await startService(t, { CORE_WORKERS: '2', CORE_MAX_QUEUE: '0' });
  const client = new FaceDetectionServiceClient(service.grpc, credentials.createInsecure());
  t.after(() => client.close());
  const portrait = await readSample('astronaut.jpg');
  const stream = client.streamDetectFaces(metadataWithKey(service.apiKey));
  const ask = (id: string, more: object = {}) =>
    stream.write({ id, request: { ...request(id, portrait).request, ...more } });
  // Six at a time on two workers without a queue: a unary caller would be refused.
  for (let i = 0; i < 6; i += 1) ask(`good ${i}`);
  ask('cut off', { image: portrait.subarray(0, 2_000) });
  ask('company', { company: 'nobody' });
  stream.write({ id: 'nothing', request: undefined });
  ask('good 6');
  stream.end(); // half-closed long before the last answer
  const said: [id: string, faces: number | string][] = [];
  for await (const { id, result } of stream as AsyncIterable<StreamDetectFacesResponse>)
    if (result?.$case === 'error') said.push([id, detailsOfStatus(result.value).reason]);
    else said.push([id, result?.value.faces.length ?? 0]);
  assert.deepEqual(Object.fromEntries(said), {
    ...Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`good ${i}`, 1])),
    'cut off': 'CORRUPT_IMAGE',
    company: 'UNKNOWN_COMPANY',
    nothing: 'MISSING_FIELD',
  });
});

describe('a stream under pressure', () => {
  /** A core with one worker that does what the pictures tell, so two requests of a stream at a time. */
  async function start(t: TestContext, environment: Record<string, string> = {}) {
    const scripted = await startScripted(t, { CORE_SHUTDOWN_GRACE_MS: '20000', ...environment });
    const client = new FaceDetectionServiceClient(scripted.service.grpc, credentials.createInsecure());
    t.after(() => client.close());
    return { ...scripted, client };
  }

  it('is read no further while its caller takes no answers', async (t) => {
    const { stage, service, client } = await start(t);
    const stream = client.streamDetectFaces(metadataWithKey(service.apiKey));
    const sent = 200;
    let taken = 0;
    for (let i = 0; i < sent; i += 1) {
      const picture = scriptedPicture(String(i), 'answer', { bytes: 50_000, cropBytes: 50_000 });
      stream.write(request(String(i), picture), () => (taken += 1));
    }
    // From its first answer on: before that grpc-js takes in whatever comes.
    stream.once('data', () => stream.pause());
    await untilStill(() => stage.begun.length + taken);
    // What the windows of HTTP/2 and the buffers of both sides hold, but by far not everything.
    assert.ok(stage.begun.length < 60, `${stage.begun.length} of ${sent} analysed unread`);
    assert.ok(taken < 100, `${taken} of ${sent} taken unread`);

    stream.end();
    let answers = 1;
    stream.on('data', () => (answers += 1));
    stream.resume();
    await once(stream, 'end');
    assert.equal(answers, sent);
    assert.equal(stage.begun.length, sent);
  });

  it('leaves nothing behind when its caller goes away with answers unread', async (t) => {
    const { stage, service, client } = await start(t);
    const stream = client.streamDetectFaces(metadataWithKey(service.apiKey));
    stream.on('error', () => {});
    for (let i = 0; i < 40; i += 1) {
      stream.write(request(String(i), scriptedPicture(String(i), 'answer', { cropBytes: 50_000 })));
    }
    stream.once('data', () => stream.pause());
    await untilStill(() => stage.begun.length);
    const analysed = stage.begun.length;
    stream.cancel();
    assert.deepEqual(await detect(client, service, 'next'), []);
    assert.ok(stage.begun.length - analysed <= 3, 'the unread stream went on');
  });

  it('keeps no more of a small picture that waits than it counts as', async (t) => {
    // 16 pictures of each stream at a time.
    const { service, client } = await start(t, {
      CORE_WORKERS: '8',
      CORE_METRICS_PORT: '0',
      CORE_SHUTDOWN_GRACE_MS: '1',
    });
    const streams = Array.from({ length: 100 }, () => client.streamDetectFaces(metadataWithKey(service.apiKey)));
    for (const stream of streams) stream.on('error', () => undefined);
    let sent = 0;
    const heapWith = async (pictures: number): Promise<number> => {
      for (const stream of streams)
        for (let i = 0; i < pictures; i += 1) stream.write(request('', scriptedPicture(String(sent++), 'wait')));
      await eventually(async () => {
        const metrics = await (await fetch(`http://127.0.0.1:${service.metricsPorts.core}/metrics`)).text();
        return metrics.includes(`\nimageanalysis_queue_depth ${sent - 8}\n`);
      }, 60_000);
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const few = await heapWith(2);
    const kept = ((await heapWith(14)) - few) / (14 * streams.length);
    for (const stream of streams) stream.cancel();
    assert.ok(kept <= waitingMessageBytes, `${kept} bytes`);
  });

  it('ends at its deadline', async (t) => {
    const { stage, service, client, log } = await start(t);
    const metadata = metadataWithKey(service.apiKey);
    const stream = client.streamDetectFaces(metadata, { deadline: Date.now() + 500 });
    stream.resume();
    stream.write(request('a', scriptedPicture('a', 'wait')));
    stream.write(request('b', scriptedPicture('b')));
    const [error] = (await once(stream, 'error')) as [GrpcError];
    assert.equal(error.code, status.DEADLINE_EXCEEDED);
    await log.waitFor(({ reason }) => reason === 'DEADLINE');
    const next = detect(client, service, 'next');
    stage.release('a');
    assert.deepEqual(await next, []);
    assert.equal(stage.begun.includes('b'), false);
  });

  it('is answered what it has in work when the core stops', async (t) => {
    const { stage, service, client } = await start(t);
    const stream = client.streamDetectFaces(metadataWithKey(service.apiKey));
    const idle = client.streamDetectFaces(metadataWithKey(service.apiKey));
    idle.resume();
    const idleError = once(idle, 'error') as Promise<[GrpcError]>;
    for (const id of ['a', 'b', 'c', 'd']) {
      stream.write(request(id, scriptedPicture(id, 'wait')));
    }
    await stage.waitForBegun(1);
    const closed = service.closeCore();
    assert.equal(detailsOf((await idleError)[0]).reason, 'SHUTTING_DOWN');
    const ids: string[] = [];
    stream.on('data', ({ id }: StreamDetectFacesResponse) => ids.push(id));
    const error = once(stream, 'error') as Promise<[GrpcError]>;
    stage.release('a', 'b', 'c', 'd');
    assert.equal(detailsOf((await error)[0]).reason, 'SHUTTING_DOWN');
    assert.deepEqual(ids, ['a', 'b']);
    await closed;
    assert.deepEqual(stage.begun, ['a', 'b']);
  });
});

function request(id: string, image: Buffer) {
  return { id, request: { image, company: '', landmarks: false, details: false } };
}

async function detect(client: FaceDetectionServiceClient, service: TestService, name: string) {
  const { faces } = await unaryCall<DetectAllFacesResponse>((done) =>
    client.detectAllFaces(
      { image: scriptedPicture(name), company: '', landmarks: false, details: false },
      metadataWithKey(service.apiKey),
      done,
    ),
  );
  return faces;
}
