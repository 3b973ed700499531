import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import sharp from 'sharp';
import {
  FuseMeterReadingsRequest,
  type FuseMeterReadingsResponse,
  MeterReadingServiceClient,
  ReadingStatus,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { renderLandscape, renderMeter } from '../../core-server/features/meter/fixtures.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { createForm } from '../../helpers/net/form.js';
import { detailsOf, metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { scriptedPicture } from '../../helpers/pictures/scripted-pictures.js';
import { post } from '../../helpers/service/rest-requests.js';
import { reasonOf, startScripted } from '../../helpers/service/scripted-service.js';
import { startService, type TestService } from '../../helpers/service/service.js';

// Several photos of one meter in one request.

const maxBytes = 400_000;

interface Photo {
  readonly agrees: boolean;
  readonly value?: string;
  readonly confidence?: number;
  readonly refusal?: string;
}

interface Body {
  readonly value: string;
  readonly confidence: number;
  readonly status: string;
  readonly warnings: readonly string[];
  readonly digits: readonly { readonly digit: string; readonly bbox: object }[];
  readonly best_photo: number;
  readonly photos: readonly Photo[];
  readonly reason?: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
  readonly model?: object;
}

suite('photos of one meter', () => {
  const lifetime = createLifetime();
  let service: TestService;
  let meter: Buffer;
  let dim: Buffer;
  let small: Buffer;
  let landscape: Buffer;
  let other: Buffer;

  before(async () => {
    // Before the service starts, which has sharp read no SVG in this process.
    landscape = await renderLandscape();
    other = await renderMeter('08241937', 3);
    service = await startService(lifetime, {
      REST_MAX_IMAGE_BYTES: String(maxBytes),
      CORE_MAX_IMAGE_BYTES: String(maxBytes),
    });
    meter = await readSample('meter.jpg');
    dim = await sharp(meter).linear(0.6, 0).blur(1).jpeg().toBuffer();
    small = await sharp(meter).resize(500).jpeg().toBuffer();
  });

  function ask(photos: readonly Uint8Array[], fields: Record<string, string> = {}, path = '/v1/meters/fuse') {
    const form = createForm(undefined, fields);
    for (const bytes of photos) form.append('file', new Blob([new Uint8Array(bytes)]), 'a.jpg');
    return post<Body>(service, path, form);
  }

  test('are one reading, with what each shows alone', async () => {
    const alone = await Promise.all([dim, meter, small].map((photo) => ask([photo], {}, '/meter-number-ocr/file')));
    const { status, body } = await ask([dim, meter, small], { details: 'true' });
    assert.equal(status, 200, body.message);
    assert.deepEqual([body.value, body.status, body.warnings], ['00473.286', 'ok', []]);
    assert.ok(body.confidence >= Math.max(...alone.map(({ body: { confidence } }) => confidence)));
    assert.deepEqual(
      body.photos.map(({ agrees, value, confidence }) => [agrees, value, confidence]),
      alone.map(({ body: { value, confidence } }) => [true, value, confidence]),
    );
    assert.ok(body.model);
    const best = await ask([[dim, meter, small][body.best_photo] as Buffer], {}, '/meter-number-ocr/file');
    assert.deepEqual(
      body.digits.map(({ bbox }) => bbox),
      best.body.digits.map(({ bbox }) => bbox),
    );
  });

  test('are never ok if one is of another meter', async () => {
    for (const photos of [
      [meter, other],
      [meter, small, other],
      [other, meter, dim, small],
    ]) {
      const { body } = await ask(photos);
      assert.equal(body.status, 'check');
      assert.ok(body.warnings.includes('PHOTOS_DISAGREE'));
    }
  });

  test('are read without those that cannot be', async () => {
    const { body } = await ask([landscape, meter, meter.subarray(0, 2000), Buffer.from('no picture'), Buffer.alloc(0)]);
    assert.deepEqual([body.value, body.status, body.best_photo], ['00473.286', 'ok', 1]);
    assert.deepEqual(
      body.photos.map(({ refusal }) => refusal),
      ['NO_READING', undefined, 'CORRUPT_IMAGE', 'UNSUPPORTED_IMAGE_TYPE', 'EMPTY_IMAGE'],
    );
  });

  test('are refused if none can be read, if they are too many or too large, and if there is none', async () => {
    const cases: [Uint8Array[], number, string, Record<string, string>][] = [
      [[landscape, Buffer.from('no picture')], 422, 'NO_READING', { field: 'file' }],
      [[Buffer.from('no picture')], 415, 'UNSUPPORTED_IMAGE_TYPE', { field: 'file' }],
      // Of what fails first, the second, nothing is said.
      [[small.subarray(0, small.length / 2), Buffer.from('no picture')], 400, 'CORRUPT_IMAGE', { field: 'file' }],
      [[], 400, 'MISSING_FIELD', { field: 'file' }],
      [Array.from({ length: 9 }, () => small), 400, 'MALFORMED_MULTIPART', { limit: '8' }],
      [
        [Buffer.alloc(maxBytes - 1), Buffer.alloc(2)],
        413,
        'BODY_TOO_LARGE',
        { field: 'file', limit: String(maxBytes) },
      ],
    ];
    for (const [photos, status, reason, details] of cases) {
      const answer = await ask(photos);
      assert.deepEqual([answer.status, answer.body.reason, answer.body.details], [status, reason, details]);
    }
    const { body } = await ask([meter], { serial_number: 'true' });
    assert.deepEqual([body.reason, body.details], ['UNKNOWN_FIELD', { field: 'serial_number' }]);
    assert.equal(body.message, 'field "serial_number" is unknown, want a known field');
    const raw = await fetch(`${service.rest}/v1/meters/fuse`, {
      method: 'POST',
      body: new Uint8Array(meter),
      headers: { apikey: service.apiKey, 'content-type': 'image/jpeg' },
    });
    assert.equal(raw.status, 415);
  });

  test('as many and as large as they may be', async () => {
    const eight = await ask(Array.from({ length: 8 }, () => small));
    assert.deepEqual([eight.status, eight.body.photos.length], [200, 8]);
    const filled = Buffer.concat([meter, Buffer.alloc(maxBytes - meter.length - small.length)]);
    assert.equal((await ask([filled, small])).status, 200);
  });

  function fuse(images: Buffer[], { grpc, apiKey } = service) {
    const client = new MeterReadingServiceClient(grpc, credentials.createInsecure());
    const request = FuseMeterReadingsRequest.fromPartial({ images });
    return unaryCall<FuseMeterReadingsResponse>((done) =>
      client.fuseMeterReadings(request, metadataWithKey(apiKey), done),
    ).finally(() => client.close());
  }

  test('come over gRPC too', async () => {
    const { reading, photos, bestPhoto } = await fuse([landscape, meter]);
    assert.deepEqual([reading?.value, reading?.status, bestPhoto], ['00473.286', ReadingStatus.OK, 1]);
    assert.deepEqual(photos[0]?.refusal, 'NO_READING');
    for (const [images, reason] of [
      [[], 'MISSING_FIELD'],
      [Array.from({ length: 9 }, () => small), 'INVALID_FIELD'],
    ] as [Buffer[], string][])
      await assert.rejects(fuse(images), (error) => {
        const { reason: given, metadata } = detailsOf(error);
        assert.deepEqual([given, metadata['field']], [reason, 'images']);
        return true;
      });
  });

  test('count each as a request of their key', async () => {
    const { service: limited } = await startScripted(lifetime, { CORE_RATE_LIMIT_PER_MINUTE: '3' });
    const pictures = ['a', 'b', 'c', 'd'].map((name) => scriptedPicture(name));
    assert.equal(await reasonOf(fuse(pictures, limited)), 'RATE_LIMITED');
  });

  test('wait for room only if one of them got some', { timeout: 20_000 }, async (t) => {
    const { service: scripted, stage } = await startScripted(t, { CORE_MAX_QUEUE: '2', CORE_WORKERS: '1' });
    const [one, two] = ['a', 'b'].map((name) => scriptedPicture(name, 'wait')) as [Buffer, Buffer];
    const calls = Array.from({ length: 4 }, () => reasonOf(fuse([Buffer.alloc(0), one, two], scripted)));
    const reasons = await Promise.race([Promise.all([Promise.any(calls)]), Promise.all(calls)]);
    assert.deepEqual(reasons, ['QUEUE_FULL']);
    for (const name of ['a', 'b']) stage.release(name);
    await Promise.all(calls);
  });
});
