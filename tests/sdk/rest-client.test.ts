import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { before, describe, it, test, type TestContext } from 'node:test';
import { createRestClient, RefusedError, type RestClient, type RestClientOptions } from 'image-analysis/rest';
import { createLifetime } from '../helpers/lifetime.js';
import { listen } from '../helpers/net/listen.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();

describe('the client over REST', () => {
  let service: TestService;
  let client: RestClient;
  let portrait: Blob;
  let meter: Blob;

  before(async () => {
    service = await startService(lifetime);
    await service.createCompany('acme', 'correct horse');
    client = createRestClient({ url: service.rest, apiKey: service.apiKey });
    portrait = await readBlob('astronaut.jpg');
    meter = await readBlob('meter.jpg');
  });

  it('finds the largest face', async () => {
    const answer = await client.detectSingleFace(portrait, { company: 'acme', landmarks: true });

    const nose = answer.landmarks?.nose_tip;
    assert.ok(nose && answer.bbox.xmin < nose.x && nose.x < answer.bbox.xmax);
    assert.ok(answer.face);
  });

  it('finds all faces', async () => {
    const answer = await client.detectAllFaces(portrait, {
      minScore: 0.5,
      maxFaces: 3,
      crop: false,
      details: true,
      timeoutMs: 20_000,
    });

    assert.equal(answer.result.length, 1);
    assert.equal(answer.result[0]?.face, undefined);
    assert.deepEqual(answer.threshold, { value: 0.5, source: 'request' });
  });

  it('hides faces', async () => {
    const { image, faceCount } = await client.redactFaces(portrait, { style: 'box', format: 'png' });
    assert.deepEqual([image.type, faceCount], ['image/png', 1]);
    assert.deepEqual((await client.detectAllFaces(image)).result, []);
    await assert.rejects(client.redactFaces(portrait, { minScore: 2 }), { reason: 'INVALID_SCORE' });
  });

  it('finds the faces of several pictures, and reads several meters', async () => {
    const lines = [];
    const files = [portrait, new Blob(['no picture']), new File([meter], 'meter.jpg')];
    for await (const line of client.detectFacesBatch(files, { crop: false })) lines.push(line);
    lines.sort((a, b) => a.index - b.index);
    assert.deepEqual(
      lines.map(({ filename, answer, refusal }) => [filename, answer?.result.length, refusal?.reason]),
      [
        ['picture', 1, undefined],
        ['picture', undefined, 'UNSUPPORTED_IMAGE_TYPE'],
        ['meter.jpg', 0, undefined],
      ],
    );
    for await (const { answer } of client.readMetersBatch([meter])) assert.equal(answer?.value, '00473.286');
    await assert.rejects(client.detectFacesBatch([], {}).next(), { reason: 'MISSING_FIELD' });
    await assert.rejects(client.readMetersBatch([meter], { timeoutMs: 1 }).next(), { code: 'DEADLINE_EXCEEDED' });
    const stop = new AbortController();
    stop.abort(new Error('not any more'));
    await assert.rejects(client.readMetersBatch([meter], { signal: stop.signal }).next(), /not any more/);
  });

  it('takes bytes as readFile gives them', async () => {
    const bytes = await readSample('astronaut.jpg');
    const { bbox } = await client.detectSingleFace(bytes);
    assert.deepEqual(bbox, (await client.detectSingleFace(portrait)).bbox);
  });

  it('reads a meter from a file and from a data URL', async () => {
    assert.equal((await client.readMeter(meter)).value, '00473.286');

    const base64 = Buffer.from(await meter.arrayBuffer()).toString('base64');
    const reading = await client.readMeterDataUrl(`data:image/jpeg;base64,${base64}`, {
      expectedDigits: 8,
      alternatives: true,
    });
    assert.equal(reading.meter_number, '00473286');
    assert.ok(reading.alternatives);
    const noNumber = client.readMeterDataUrl(`data:image/jpeg;base64,${base64}`, { expectedDigits: NaN });
    await assert.rejects(noNumber, { reason: 'INVALID_FIELD', details: { field: 'expected_digits', value: 'NaN' } });
  });

  it('reads several photos as one, and says what is running', async () => {
    const { value, photos } = await client.fuseMeterReadings([meter, meter], { details: true });
    assert.deepEqual([value, photos.length], ['00473.286', 2]);
    const { models } = await client.getVersion();
    assert.ok(models.some(({ name }) => name === 'meter-read'));
  });

  it('sets and shows the score of a company', async () => {
    await client.setDetectionScore('acme', 'correct horse', 0.7);

    const { detection_score: score } = await client.getDetectionScore('acme', 'correct horse');
    assert.equal(score, 0.7);
    await assert.rejects(client.setDetectionScore('acme', 'correct horse', NaN), { reason: 'INVALID_SCORE' });
  });

  it('sends passwords of any script', async () => {
    const password = 'Пароль № 1, 漢字 and 😀';
    await service.createCompany('school', password);

    await client.setDetectionScore('school', password, 0.6);

    const { detection_score: score } = await client.getDetectionScore('school', password);
    assert.equal(score, 0.6);
  });

  it('tells why it was refused', async () => {
    await assert.rejects(client.detectSingleFace(meter), (error) => {
      assert.ok(error instanceof RefusedError);
      assert.equal(error.reason, 'NO_FACE');
      assert.equal(error.code, 'NOT_FOUND');
      assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
      return true;
    });
    await assert.rejects(client.detectAllFaces(portrait, { minScore: 1.5, requestId: 'group-1' }), {
      reason: 'INVALID_SCORE',
      requestId: 'group-1',
    });
    assert.equal((await client.getVersion({ requestId: 'not harmless: 😀' })).message, 'success');
    await assert.rejects(client.getDetectionScore('acme', 'wrong'), { reason: 'COMPANY_AUTH_FAILED' });
  });

  it('takes a key with white space around it, and prints no secret that cannot be sent', async () => {
    const spaced = createRestClient({ url: service.rest, apiKey: ` ${service.apiKey}\r\n` });
    assert.equal((await spaced.readMeter(meter)).value, '00473.286');

    const broken = createRestClient({ url: service.rest, apiKey: 'ia_1234\nsecret' });
    await assert.rejects(broken.readMeter(meter), {
      message: 'apiKey has a character that cannot be sent, want it exactly as issued',
    });
    await assert.rejects(client.getDetectionScore('acme', 'correct\nhorse'), {
      message: 'password has a character that cannot be sent, want it exactly as issued',
    });
  });

  it('ends when its time is over or its signal is aborted', async () => {
    await assert.rejects(client.readMeter(meter, { timeoutMs: 1 }), { code: 'DEADLINE_EXCEEDED' });
    const abort = new AbortController();
    const reading = client.readMeter(meter, { signal: abort.signal });
    abort.abort(new Error('changed my mind'));
    await assert.rejects(reading, /changed my mind/);
    assert.equal((await client.readMeter(meter, { timeoutMs: Infinity })).value, '00473.286');
  });
});

test('a redirect is not followed, over REST', async (t) => {
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.writeHead(307, { location: `http://127.0.0.1:${otherPort}${request.url}` }).end();
  };
  const otherPort = await listen(t, createServer(answer));
  const port = await listen(t, createServer(answer));
  const url = `http://127.0.0.1:${port}`;
  const client = createRestClient({ url, apiKey: 'secret' });

  for (const [path, call] of [
    ['/meter-number-ocr/file', () => client.readMeter(new Blob(['x']))],
    ['/v1/companies/acme/detection-score', () => client.getDetectionScore('acme', 'secret')],
  ] as const)
    await assert.rejects(call(), {
      name: 'RefusedError',
      code: 'UNKNOWN',
      message: `${url}${path} is redirected, want the URL of the service itself.`,
    });
  assert.deepEqual(asked, [
    `127.0.0.1:${port}/meter-number-ocr/file`,
    `127.0.0.1:${port}/v1/companies/acme/detection-score`,
  ]);
});

describe('trying again over REST', () => {
  const queueFull = (response: ServerResponse, retryAfter: string) =>
    response
      .writeHead(429, { 'retry-after': retryAfter })
      .end('{"message":"full","code":"RESOURCE_EXHAUSTED","reason":"QUEUE_FULL"}');

  it('waits as long as the service asks', async (t) => {
    const answeredAt: number[] = [];
    const { client, asked } = await clientOf(t, (response) => {
      if (answeredAt.push(performance.now()) === 1) queueFull(response, '1');
      else response.end('{"value":"1"}');
    });

    assert.equal((await client.readMeter(new Blob(['x']))).value, '1');
    assert.equal(asked(), 2);
    assert.ok((answeredAt[1] ?? 0) - (answeredAt[0] ?? 0) >= 990);
  });

  it('does not wait longer than it is told to, by a proxy too', async (t) => {
    const ofProxy = (response: ServerResponse) => response.writeHead(503, { 'retry-after': '60' }).end('<html></html>');
    for (const answer of [(response: ServerResponse) => queueFull(response, '60'), ofProxy]) {
      const { client, asked } = await clientOf(t, answer);

      await assert.rejects(client.readMeter(new Blob(['x'])), { retryAfterSeconds: 60 });
      assert.equal(asked(), 1);
    }
  });

  it('gives up after its retries, as many where undefined is given for them', async (t) => {
    for (const options of [{}, { retries: undefined, maxDelayMs: undefined }]) {
      const { client, asked } = await clientOf(t, (response) => queueFull(response, '0'), options);

      await assert.rejects(client.readMeter(new Blob(['x']), { timeoutMs: 2_000 }), { reason: 'QUEUE_FULL' });
      assert.equal(asked(), 3);
    }
  });

  it('tries no refusal again that would be the same', async (t) => {
    const refusal = '{"message":"slow down","code":"RESOURCE_EXHAUSTED","reason":"RATE_LIMITED"}';
    const { client, asked } = await clientOf(t, (response) =>
      response.writeHead(429, { 'retry-after': '0' }).end(refusal),
    );

    await assert.rejects(client.readMeter(new Blob(['x'])), { reason: 'RATE_LIMITED' });
    assert.equal(asked(), 1);
  });

  it('takes no Retry-After for none, not for 0 seconds', async (t) => {
    const refusal = '{"message":"m","code":"UNAVAILABLE","reason":"SHUTTING_DOWN"}';
    const { client } = await clientOf(t, (response) => response.writeHead(503).end(refusal), { retries: 0 });

    await assert.rejects(client.readMeter(new Blob(['x'])), { reason: 'SHUTTING_DOWN', retryAfterSeconds: undefined });
  });

  it('does not send a picture again that a worker had when the service broke off', async (t) => {
    const refusal = '{"message":"gone","code":"UNAVAILABLE","reason":"CORE_UNAVAILABLE","details":{"begun":"true"}}';
    const { client, asked } = await clientOf(t, (response) => response.writeHead(503).end(refusal));

    await assert.rejects(client.readMeter(new Blob(['x'])), { details: { begun: 'true' } });
    assert.equal(asked(), 1);
  });

  it('does not send a picture again whose answer broke off', async (t) => {
    const { client, asked } = await clientOf(t, (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"value":', () => response.destroy());
    });

    const refusal = {
      code: 'UNAVAILABLE',
      message: /\/meter-number-ocr\/file broke off\.$/,
      details: { begun: 'true' },
    };
    await assert.rejects(client.readMeter(new Blob(['x'])), refusal);
    assert.equal(asked(), 1);
  });

  it('takes no page of a proxy for a reading', async (t) => {
    const { client } = await clientOf(t, (response) => response.end('<html>sign in</html>'));

    const refusal = { name: 'RefusedError', code: 'UNKNOWN', reason: undefined };
    await assert.rejects(client.readMeter(new Blob(['x'])), refusal);
  });

  it('leaves nothing open of a response that it does not read to its end', async (t) => {
    const line = '{"index":0,"filename":"a","result":[]}\n';
    for (const [type, body] of [
      ['text/html', '<html>'],
      ['application/x-ndjson', line],
    ] as const) {
      const { client } = await clientOf(t, (response) => response.setHeader('content-type', type).write(body));
      const { fetch } = globalThis;
      const signals: (AbortSignal | null | undefined)[] = [];
      t.mock.method(globalThis, 'fetch', (url: string, request: RequestInit) => {
        signals.push(request.signal);
        return fetch(url, request);
      });
      const lines = client.readMetersBatch([new Blob(['x'])]);
      if (body === line) await lines.next().then(() => lines.return(undefined));
      else await assert.rejects(lines.next(), { code: 'UNKNOWN' });
      assert.deepEqual(
        signals.map((signal) => signal?.aborted),
        [true],
      );
    }
  });

  it('tries again where a proxy has no service behind it', async (t) => {
    const { client, asked } = await clientOf(t, (response) => {
      if (asked() === 1) response.writeHead(503).end('<html>no upstream</html>');
      else response.end('{"value":"1"}');
    });

    assert.equal((await client.readMeter(new Blob(['x']))).value, '1');
  });
});

async function clientOf(
  t: TestContext,
  answer: (response: ServerResponse) => void,
  options: Partial<RestClientOptions> = {},
) {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    request.resume().once('end', () => answer(response));
  });
  const port = await listen(t, server);
  const client = createRestClient({ url: `http://127.0.0.1:${port}/`, apiKey: 'any', ...options });
  return { client, asked: () => asked };
}

async function readBlob(name: Parameters<typeof readSample>[0]): Promise<Blob> {
  return new Blob([new Uint8Array(await readSample(name))]);
}
