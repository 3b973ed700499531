import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  Metadata,
  type sendUnaryData,
  Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  status,
} from '@grpc/grpc-js';
import {
  createAdminClient,
  createClient,
  type DeepPartial,
  fromStatus,
  type ImageAnalysisClient,
  ReadingWarning,
  type RedactFacesRequest,
  RefusedError,
  ThresholdSource,
} from 'image-analysis/client';
import { toStatusObject } from '../../core-server/rpc/status.js';
import { ErrorInfo } from '../../generated/google/rpc/error_details.js';
import { Status } from '../../generated/google/rpc/status.js';
import {
  MeterReadingServiceService,
  ReadMeterResponse,
  StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import { refuse } from '../../runtime/errors/refusal.js';
import { collectGarbage } from '../../runtime/node-patches/v8-flags.js';
import { collectLog } from '../helpers/collect-log.js';
import { deferred } from '../helpers/deferred.js';
import { createLifetime } from '../helpers/lifetime.js';
import { bindServer } from '../helpers/net/grpc.js';
import { listen } from '../helpers/net/listen.js';
import { startTcpSwitch } from '../helpers/net/tcp-switch.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();
const log = collectLog();

describe('the client over gRPC', () => {
  let service: TestService;
  let client: ImageAnalysisClient;
  let portrait: Buffer;
  let meter: Buffer;

  before(async () => {
    service = await startService(lifetime, {}, log.log);
    await service.createCompany('acme', 'correct horse');
    client = createClient({ address: service.grpc, apiKey: service.apiKey });
    lifetime.after(() => client.close());
    portrait = await readSample('astronaut.jpg');
    meter = await readSample('meter.jpg');
  });

  it('finds the largest face', async () => {
    const { face } = await client.detectSingleFace({ image: portrait, landmarks: true });

    const box = face?.boundingBox;
    const nose = face?.landmarks?.noseTip;
    assert.ok(box && nose && box.xmin < nose.x && nose.x < box.xmax);
  });

  it('finds all faces', async () => {
    const { faces, details } = await client.detectAllFaces(
      { image: portrait, minScore: 0.5, crop: false, details: true },
      { timeoutMs: 20_000, requestId: 'group-1' },
    );

    assert.equal(faces.length, 1);
    assert.equal(details?.threshold?.source, ThresholdSource.REQUEST);
    assert.ok(log.entries.some((entry) => entry['request_id'] === 'group-1'));
  });

  it('reads a meter', async () => {
    const reading = await client.readMeter({ image: meter });

    assert.equal(reading.meterNumber, '00473286');
    assert.equal(reading.value, '00473.286');
  });

  it('hides faces, reads several photos as one, and says what is running', async () => {
    const request: DeepPartial<RedactFacesRequest> = { image: portrait, style: 'box' };
    const redacted = await client.redactFaces(request);
    assert.deepEqual([redacted.contentType, redacted.faceCount], ['image/jpeg', 1]);
    const requests = [{ id: 'a', request: { image: portrait } }];
    for await (const { id, result } of client.streamRedactFaces(requests, { requestId: 'many-1' }))
      assert.deepEqual([id, result?.$case], ['a', 'response']);
    assert.ok(log.entries.some((entry) => entry['request_id'] === 'many-1'));
    const fused = await client.fuseMeterReadings({ images: [meter, meter] });
    assert.deepEqual([fused.reading?.value, fused.photos.length], ['00473.286', 2]);
    const { models } = await client.getVersion();
    assert.ok(models.some(({ name }) => name === 'meter-read'));
  });

  it('sets and shows the score of a company', async () => {
    const login = { company: 'acme', password: 'correct horse' };

    await client.setDetectionScore({ ...login, detectionScore: 0.65 });

    assert.equal((await client.getDetectionScore(login)).detectionScore, 0.65);
  });

  it('tells why it was refused', async () => {
    await assert.rejects(client.detectSingleFace({ image: meter }), {
      name: 'RefusedError',
      reason: 'NO_FACE',
      code: 'NOT_FOUND',
    });
    await assert.rejects(client.detectAllFaces({ image: portrait, minScore: 1.5 }), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.equal(error.reason, 'INVALID_SCORE');
      assert.equal(error.details['field'], 'min_score');
      return true;
    });
    const stranger = createClient({ address: service.grpc, apiKey: 'wrong' });
    await assert.rejects(stranger.readMeter({ image: meter }), { reason: 'INVALID_API_KEY' });
    stranger.close();
  });

  it('takes a key with white space around it, and prints none that cannot be sent', async () => {
    const spaced = createClient({ address: service.grpc, apiKey: ` ${service.apiKey}\r\n` });
    assert.equal((await spaced.readMeter({ image: meter })).value, '00473.286');
    spaced.close();

    const secret = 'ia_1234\nsecret';
    assert.throws(() => createClient({ address: service.grpc, apiKey: secret }), {
      message: 'apiKey has a character that cannot be sent, want it exactly as issued',
    });
    assert.throws(() => createAdminClient({ address: service.grpc, adminKey: secret }), {
      message: 'adminKey has a character that cannot be sent, want it exactly as issued',
    });
  });

  it('ends when its time is over or its signal is aborted', async () => {
    await assert.rejects(client.readMeter({ image: meter }, { timeoutMs: 1 }), { code: 'DEADLINE_EXCEEDED' });
    await assert.rejects(client.readMeter({ image: meter }, { timeoutMs: NaN }), {
      message: 'timeoutMs is NaN, want milliseconds or Infinity',
    });
    const abort = new AbortController();
    const reading = client.readMeter({ image: meter }, { signal: abort.signal });
    abort.abort(new Error('changed my mind'));
    await assert.rejects(reading, /changed my mind/);
    const unsendable = client.readMeter({ image: meter }, { requestId: '😀' }).catch((error: unknown) => error);
    assert.ok((await unsendable) instanceof Error);
  });

  it('gives up after its retries where nothing listens', async () => {
    const nowhere = createClient({ address: '127.0.0.1:1', apiKey: 'any', retries: 1 });

    await assert.rejects(nowhere.readMeter({ image: meter }), { code: 'UNAVAILABLE' });
    nowhere.close();
  });

  it('detects in many pictures over one stream', async () => {
    const pictures = [
      { id: 'good', request: { image: portrait } },
      { id: 'bad', request: { image: Buffer.from('no picture') } },
    ];

    const results = new Map<string, unknown>();
    for await (const { id, result } of client.streamDetectFaces(pictures)) {
      if (result?.$case === 'response') results.set(id, result.value.faces.length);
      if (result?.$case === 'error') results.set(id, fromStatus(result.value).reason);
    }

    assert.deepEqual(Object.fromEntries(results), { good: 1, bad: 'UNSUPPORTED_IMAGE_TYPE' });
  });

  it('takes pictures for a stream only as fast as they are read', async () => {
    const count = 40;
    let taken = 0;
    const image = Buffer.concat([portrait, Buffer.alloc(2_000_000)]);
    function* pictures() {
      for (; taken < count; taken++) yield { id: `${taken}`, request: { image, crop: false } };
    }

    const ids = new Set<string>();
    for await (const { id } of client.streamDetectFaces(pictures())) {
      if (ids.size === 0) assert.ok(taken < count / 2, `${taken} were taken for the first answer`);
      ids.add(id);
    }

    assert.equal(ids.size, count);
  });

  it('ends a stream that is left early, and one whose pictures fail', async () => {
    const finished = deferred();
    function* pictures() {
      try {
        for (let n = 0; ; n++) yield { id: `${n}`, request: { image: meter } };
      } finally {
        finished.resolve();
      }
    }
    for await (const { id } of client.streamDetectFaces(pictures())) {
      assert.ok(id);
      break;
    }
    await finished.promise;

    // eslint-disable-next-line require-yield
    function* broken(): Generator<{ id: string }> {
      throw new Error('the disk is gone');
    }
    await assert.rejects(client.streamDetectFaces(broken()).next(), /the disk is gone/);
  });

  it('ends a stream with its signal, and says why a stream is refused', async () => {
    const abort = new AbortController();
    const endless = (function* () {
      for (;;) yield { id: 'again', request: { image: meter } };
    })();
    const answers = client.streamReadMeters(endless, { signal: abort.signal });
    await answers.next();
    abort.abort(new Error('enough'));
    await assert.rejects(async () => {
      for await (const { id } of answers) assert.equal(id, 'again');
    }, /enough/);

    const stranger = createClient({ address: service.grpc, apiKey: 'wrong' });
    await assert.rejects(stranger.streamReadMeters([{ id: 'one' }]).next(), { reason: 'INVALID_API_KEY' });
    stranger.close();
  });
});

describe('what the client over gRPC makes of failures', () => {
  const lostWorker = refuse('WORKER_LOST', 'the analysis lost its worker, try again');

  it('does not send a picture again that a worker had', async (t) => {
    let asked = 0;
    const client = await clientOf(t, (call, done) => {
      asked++;
      call.sendMetadata(new Metadata());
      done(toStatusObject(lostWorker));
    });

    await assert.rejects(client.readMeter({}), { reason: 'WORKER_LOST', details: { begun: 'true' } });
    assert.equal(asked, 1);
  });

  it('takes a refusal of a picture that a worker had for no break', async (t) => {
    const client = await clientOf(t, (call, done) => {
      call.sendMetadata(new Metadata());
      done(toStatusObject(refuse('NO_READING', 'no readable counter was found')));
    });

    await assert.rejects(client.readMeter({}), { reason: 'NO_READING', details: {} });
  });

  const openers = {
    'a client': (address: string) => {
      const client = createClient({ address, apiKey: 'any', retries: 0 });
      return { ask: () => client.getVersion(), close: () => client.close() };
    },
    'an administration client': (address: string) => {
      const client = createAdminClient({ address, adminKey: 'any' });
      return { ask: () => client.listCompanies(), close: () => client.close() };
    },
  };
  for (const [name, open] of Object.entries(openers))
    it(`as ${name} looks for a service that is gone every second`, async (t) => {
      const askedAt: number[] = [];
      const port = await listen(
        t,
        createServer((socket) => {
          askedAt.push(performance.now());
          socket.destroy();
        }),
      );
      const client = open(`127.0.0.1:${port}`);
      t.after(() => client.close());

      // By gRPC's own rule the last two pauses would be of about 2.6 and 4 seconds; a stall lengthens one.
      while (askedAt.length < 5) await Promise.all([assert.rejects(client.ask()), setTimeout(20)]);
      const pauses = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
      assert.ok(Math.min(...pauses.slice(-2)) < 1_600, pauses.join());
    });

  it('sends one again that no worker had', async (t) => {
    let asked = 0;
    const client = await clientOf(t, (_call, done) => {
      asked++;
      done(toStatusObject(lostWorker));
    });

    await assert.rejects(client.readMeter({}), { reason: 'WORKER_LOST', details: {} });
    assert.equal(asked, 2);
  });

  it('lets a call go on that is sent when it is closed, and sends no other', async (t) => {
    const client = await clientOf(t, (_call, done) => {
      client.close();
      done(null, ReadMeterResponse.fromPartial({}));
    });

    await client.readMeter({});
    await assert.rejects(client.readMeter({}), { message: 'Channel has been shut down' });
  });

  it('reads a warning of a newer service, and what follows it', async (t) => {
    const newer = StreamReadMetersResponse.fromPartial({
      result: { $case: 'response', value: { warnings: [ReadingWarning.GLARE, ReadingWarning.UNRECOGNIZED] } },
    });
    const next = StreamReadMetersResponse.fromPartial({ id: 'next' });
    const server = new Server();
    server.addService(MeterReadingServiceService, {
      streamReadMeters: (call: ServerDuplexStream<unknown, StreamReadMetersResponse>) => {
        call.write(newer);
        call.write(next);
        call.end();
      },
    });
    const client = createClient({ address: `127.0.0.1:${await bindServer(t, server)}`, apiKey: 'any' });
    t.after(() => client.close());

    const answers = [];
    for await (const answer of client.streamReadMeters([])) answers.push(answer);
    assert.deepEqual(answers, [newer, next]);
  });

  it('keeps nothing of the requests that a stream has sent', async (t) => {
    const server = new Server();
    server.addService(MeterReadingServiceService, {
      streamReadMeters: (call: ServerDuplexStream<unknown, unknown>) => call.on('end', () => call.end()).resume(),
    });
    const client = createClient({ address: `127.0.0.1:${await bindServer(t, server)}`, apiKey: 'any' });
    t.after(() => client.close());
    // grpc-js keeps up to 1 MiB, to send it once more.
    const request = { image: Buffer.alloc(4_096) };
    const heap: number[] = [];
    const requests = function* () {
      for (let sent = 0; sent <= 12_000; sent += 1) {
        yield { request };
        if (sent % 10_000 !== 2_000) continue;
        collectGarbage();
        heap.push(process.memoryUsage().heapUsed);
      }
    };
    await client.streamReadMeters(requests()).next();
    const [before = NaN, after = NaN] = heap;
    assert.ok(after - before < 2_000_000, `${after - before} bytes of 10,000 requests`);
  });

  it('ends a stream whose service is gone', async (t) => {
    const server = new Server();
    server.addService(MeterReadingServiceService, {
      streamReadMeters: (call: ServerDuplexStream<unknown, { id: string }>) =>
        call.once('data', () => call.write({ id: 'one' })),
    });
    const proxy = await startTcpSwitch(await bindServer(t, server));
    t.after(() => proxy.close());
    const client = createClient({
      address: `127.0.0.1:${proxy.port}`,
      apiKey: 'any',
      channelOptions: { 'grpc.keepalive_time_ms': 100, 'grpc.keepalive_timeout_ms': 1_000 },
    });
    t.after(() => client.close());
    const answers = client.streamReadMeters(
      (async function* () {
        yield { id: 'one' };
        await new Promise(() => {}); // for ever
      })(),
    );
    await answers.next();

    proxy.silence();

    await assert.rejects(answers.next(), { code: 'UNAVAILABLE' });
  });

  it('takes details that are broken, or of another service, for none', async (t) => {
    const foreign = Status.encode({
      code: status.NOT_FOUND,
      message: 'of a proxy',
      details: [
        {
          typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
          value: ErrorInfo.encode({ reason: 'NO_ROUTE', domain: 'proxy', metadata: {} }).finish(),
        },
      ],
    }).finish();
    const broken = new Uint8Array([0x0a, 0xff]);
    for (const bytes of [foreign, broken]) {
      const client = await clientOf(t, (_call, done) => {
        const metadata = new Metadata();
        metadata.set('grpc-status-details-bin', Buffer.from(bytes));
        done({ code: status.NOT_FOUND, details: 'not here', metadata });
      });

      await assert.rejects(client.readMeter({}), { reason: undefined, code: 'NOT_FOUND', message: 'not here' });
    }
  });
});

/** A client of a service whose meter reading is scripted; both end with the test. */
async function clientOf(
  t: TestContext,
  readMeter: (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>) => void,
): Promise<ImageAnalysisClient> {
  const server = new Server();
  server.addService(MeterReadingServiceService, { readMeter });
  const port = await bindServer(t, server);
  const client = createClient({ address: `127.0.0.1:${port}`, apiKey: 'any', retries: 1 });
  t.after(() => client.close());
  return client;
}
