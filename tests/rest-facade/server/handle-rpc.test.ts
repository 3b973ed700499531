import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { refuse } from '../../../runtime/errors/refusal.js';
import { createFairBudget } from '../../../runtime/limits/fair-budget.js';
import { deferred } from '../../helpers/deferred.js';
import { eventually } from '../../helpers/eventually.js';
import { grpcFrame } from '../../helpers/net/grpc-frame.js';
import { callUnary, readRefused, transports } from '../../helpers/net/web-client.js';
import { answerAll } from '../answers.js';
import { readRefusal, startBoth, withKey } from '../facade.js';
import { CoreRefusal } from '../fake-core.js';
import { limits, serveApp } from '../serve-app.js';

// Called by the client that pages use, in Node.js; tests/browser/ has it in a browser.

const image = Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0d, 0x0a, 0x2d, 0x2d]);
const detectAll = 'FaceDetectionService/DetectAllFaces';
const path = `/imageanalysis.v1.${detectAll}`;
const bbox = { xmin: 98.1, ymin: 120.7, xmax: 210, ymax: 260.25 };

const refusedBy = async (call: Promise<unknown>) => call.then(() => assert.fail('it is answered'), readRefused);

/** Sends a body as it is. */
const post = (url: string, type: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(url + path, { method: 'POST', headers: { ...withKey, 'content-type': type, ...headers }, body });

const ways = Object.entries(transports);

for (const [name, open] of ways) {
  test(`${name}: a call reaches the core as it is, and so does its response`, async (t) => {
    const { url, core, logged } = await startBoth(t, answerAll);
    const request = { image, company: 'acme', minScore: 0.3, maxFaces: 7, crop: false, landmarks: true };
    assert.deepEqual(await callUnary(open(url), detectAll, request), {
      faces: [
        { boundingBox: bbox, detectionScore: 0.9731, cropJpeg: Buffer.from('crop').toString('base64') },
        { boundingBox: bbox, detectionScore: 1, cropJpeg: Buffer.from('crop2').toString('base64') },
      ],
    });
    const [call] = core.calls;
    assert.equal(core.calls.length, 1);
    const sent = Object.entries(call?.request ?? {}).filter(([, value]) => value !== undefined);
    assert.deepEqual(Object.fromEntries(sent), { ...request, details: false });
    assert.deepEqual(call?.metadata.get('apikey'), ['key-of-the-tests']);
    assert.deepEqual(call?.metadata.get('x-forwarded-for'), ['127.0.0.1']);
    const [requestId] = call?.metadata.get('x-request-id') ?? [];
    await eventually(() => logged().includes('"status":200'));
    assert.match(logged(), new RegExp(`"request_id":"${String(requestId)}","method":"POST","route":"${path}"`));

    const reading = await callUnary(open(url), 'MeterReadingService/ReadMeter', { image });
    assert.deepEqual(reading['warnings'], ['READING_WARNING_GLARE']);
    assert.equal(reading['status'], 'READING_STATUS_CHECK');
    assert.equal(reading['meterNumber'], '00123456');
  });

  test(`${name}: refusals come with reason, details and time`, async (t) => {
    const { url, core, logged } = await startBoth(t, ({ rpc }) => {
      if (rpc === 'GetDetectionScore')
        throw new CoreRefusal(status.NOT_FOUND, 'UNKNOWN_COMPANY', 'company "ä%" is unknown', { field: 'company' });
      throw new CoreRefusal(status.RESOURCE_EXHAUSTED, 'RATE_LIMITED', 'too much', { limit: '3' }, 7);
    });
    const transport = open(url);
    const domain = 'imageanalysis';
    assert.deepEqual(await refusedBy(callUnary(transport, detectAll, { image })), {
      code: 'ResourceExhausted',
      message: 'too much',
      reason: 'RATE_LIMITED',
      domain,
      details: { limit: '3' },
      retryAfterSeconds: 7,
    });
    assert.deepEqual(await refusedBy(callUnary(transport, 'ScoreConfigService/GetDetectionScore', { company: 'ä%' })), {
      code: 'NotFound',
      message: 'company "ä%" is unknown',
      reason: 'UNKNOWN_COMPANY',
      domain,
      details: { field: 'company' },
      retryAfterSeconds: undefined,
    });
    assert.equal(core.calls.length, 2);
    // By the facade itself.
    assert.deepEqual(await refusedBy(callUnary(transport, detectAll, { image }, { apiKey: '' })), {
      code: 'Unauthenticated',
      message: 'apikey is missing, want an API key in this header',
      reason: 'MISSING_API_KEY',
      domain,
      details: { field: 'apikey' },
      retryAfterSeconds: undefined,
    });
    assert.equal(core.calls.length, 2);
    await eventually(() => logged().includes('MISSING_API_KEY'));
    assert.match(logged(), /"reason":"RATE_LIMITED"/);
  });

  test(`${name}: the limits of REST hold`, async (t) => {
    const { url, core } = await startBoth(t, answerAll, { REST_MAX_IMAGE_BYTES: '1000' });
    const large = { image: Buffer.alloc(80 * 1024, 1) };
    const { reason, code } = await refusedBy(callUnary(open(url), detectAll, large));
    assert.deepEqual([reason, code], ['BODY_TOO_LARGE', 'ResourceExhausted']);
    const password = 'p'.repeat(64 * 1024);
    const other = await refusedBy(callUnary(open(url), 'ScoreConfigService/GetDetectionScore', { password }));
    assert.equal(other.reason, 'BODY_TOO_LARGE');
    assert.deepEqual(core.calls, []);
  });

  test(`${name}: a caller who leaves cancels the call at the core, and its deadline reaches it`, async (t) => {
    const begun = deferred();
    const { url, core } = await startBoth(t, async ({ cancelled }) => {
      begun.resolve();
      await cancelled;
      return {};
    });
    const gone = new AbortController();
    const asked = Date.now();
    const call = callUnary(open(url), detectAll, { image }, { signal: gone.signal, timeoutMs: 9_000 });
    await begun.promise;
    gone.abort();
    await assert.rejects(call);
    await core.calls[0]?.cancelled;
    const deadlineMs = core.calls[0]?.deadlineMs ?? 0;
    // Not by its deadline.
    assert.ok(Date.now() < deadlineMs - 1_000, `${deadlineMs - Date.now()} ms left`);
    assert.ok(deadlineMs > asked + 5_000 && deadlineMs <= Date.now() + 9_000, `${deadlineMs - asked}`);
  });
}

test('no deadline of a caller is longer than that of the facade', async (t) => {
  const { url, core } = await startBoth(t, answerAll, { REST_REQUEST_TIMEOUT_MS: '5000' });
  for (const [, open] of ways) await callUnary(open(url), detectAll, { image }, { timeoutMs: 3_600_000 });
  for (const { deadlineMs } of core.calls) assert.ok(deadlineMs <= Date.now() + 5_000);
});

test('memory and throttle are those of REST', async (t) => {
  const budget = createFairBudget(2_000);
  const callers: string[] = [];
  const throttle = {
    run: <T>(caller: string, work: () => Promise<T>) => {
      callers.push(caller);
      return callers.length > 2 ? Promise.reject(refuse('QUEUE_FULL', 'foreseen')) : work();
    },
  };
  const held: number[] = [];
  const call = () => {
    held.push(budget.taken);
    return Promise.resolve(Buffer.of());
  };
  const port = await serveApp(t, {
    budget,
    throttle,
    core: { call },
    limits: { ...limits, maxImageBytes: 10_000, maxBodyBytes: 10_000 },
  });
  const url = `http://127.0.0.1:${port}`;
  const reasonOf = async (bytes: number) => {
    const answer = await post(url, 'application/proto', Buffer.alloc(bytes));
    if (answer.status === 200) return 'OK';
    return ((await answer.json()) as { details: { debug: { reason: string } }[] }).details[0]?.debug.reason;
  };
  assert.equal(await reasonOf(1_000), 'OK');
  // More than four fifths.
  assert.equal(await reasonOf(1_700), 'QUEUE_FULL');
  assert.equal(await reasonOf(1_000), 'QUEUE_FULL');
  assert.deepEqual(held, [1_000]);
  await eventually(() => budget.taken === 0);
  assert.deepEqual(callers, Array(3).fill(`${path} key-of-the-tests 127.0.0.1`));
});

const frame = (flags: number, length: number, body = '') => grpcFrame(Buffer.from(body), { flags, length });

test('a message can be read by a client over gRPC-Web that decodes no percent-encoding, as protobuf-ts', async (t) => {
  const { url } = await startBoth(t, () => {
    throw new CoreRefusal(status.NOT_FOUND, 'UNKNOWN_COMPANY', 'company is "ä%", want a name, or none', {});
  });
  const response = await post(url, 'application/grpc-web+proto', grpcFrame(Buffer.alloc(0)));
  assert.match(await response.text(), /\r\ngrpc-message: company is "%C3%A4%25", want a name, or none\r\n/);
});

test('what is no request is refused, and the core sees none of it', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const json = 'application/json';
  const web = 'application/grpc-web';
  const cases: [type: string, body: string | Buffer, reason: string, headers?: Record<string, string>][] = [
    [json, '', 'MALFORMED_JSON'],
    [json, '[]', 'MALFORMED_JSON'],
    [json, `{"image":[${'1,'.repeat(20_000)}1]}`, 'MALFORMED_JSON'],
    [json, '{"image":"a-b_"}', 'INVALID_BASE64'],
    [json, '{"image":1}', 'INVALID_FIELD'],
    [json, '{"minScor":1}', 'UNKNOWN_FIELD'],
    [json, '{"min_score":1,"minScore":1}', 'REPEATED_FIELD'],
    [json, '{"minScore":"high"}', 'INVALID_SCORE'],
    [json, '{"maxFaces":1.5}', 'INVALID_FIELD'],
    [json, '{"crop":"yes"}', 'INVALID_FIELD'],
    [json, '{}', 'INVALID_FIELD', { 'connect-timeout-ms': '1s' }],
    [json, '{}', 'UNSUPPORTED_CONTENT_TYPE', { 'content-encoding': 'gzip' }],
    [web, frame(0, 0), 'INVALID_FIELD', { 'grpc-timeout': '123456789S' }],
    [web, '', 'INVALID_FIELD'],
    [web, frame(0, 1), 'INVALID_FIELD'],
    [web, frame(0, 0, 'x'), 'INVALID_FIELD'],
    [web, Buffer.concat([frame(0, 0), frame(0, 0)]), 'INVALID_FIELD'],
    [web, frame(1, 1, 'x'), 'UNSUPPORTED_CONTENT_TYPE'],
    [web, frame(2, 0), 'INVALID_FIELD'],
  ];
  for (const [type, body, reason, headers] of cases) {
    const answer = await post(url, type, body, headers);
    const text = Buffer.from(await answer.arrayBuffer());
    if (type === json) {
      assert.equal(answer.status, 400); // by its code, whatever the reason
      assert.equal(answer.headers.get('content-type'), 'application/json');
      assert.match(text.toString(), new RegExp(`"reason":"${reason}"`), String(body).slice(0, 50));
    } else {
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), 'application/grpc-web+proto');
      const [, details = ''] = /grpc-status-details-bin: (\S+)/.exec(text.toString()) ?? [];
      assert.ok(Buffer.from(details, 'base64').includes(reason), `${reason}: ${text.toString()}`);
    }
  }
  for (const type of ['text/plain', 'application/connect+proto', 'application/grpc-web-text', 'application/grpc'])
    assert.equal((await readRefusal(await post(url, type, ''))).reason, 'UNSUPPORTED_CONTENT_TYPE', type);
  const dataUrl = await post(url, json, '{"image":"data:image/png;base64,YQ=="}');
  assert.match(await dataUrl.text(), /image is a data URL, want the base64 after its comma alone/);
  const got = await fetch(url + path, { headers: withKey });
  assert.deepEqual([(await readRefusal(got)).reason, got.headers.get('allow')], ['METHOD_NOT_ALLOWED', 'POST']);
  assert.deepEqual(core.calls, []);
});

test('names of the proto are taken too, and null is absent', async (t) => {
  const { url, core } = await startBoth(t, answerAll);
  const answer = await post(
    url,
    'application/json; charset=utf-8',
    '{"image":"AAE","min_score":"0.5","maxFaces":null}',
  );
  assert.equal(answer.status, 200);
  const { image: sent, minScore, maxFaces } = core.calls[0]?.request as Record<string, unknown>;
  assert.deepEqual([sent, minScore, maxFaces], [Buffer.of(0, 1), 0.5, undefined]);
});

test('a list of pictures is as large as one picture may be, together', async (t) => {
  const { url, core } = await startBoth(t, answerAll, { REST_MAX_IMAGE_BYTES: '1000' });
  const fuse = (images: unknown) =>
    fetch(`${url}/imageanalysis.v1.MeterReadingService/FuseMeterReadings`, {
      method: 'POST',
      headers: { ...withKey, 'content-type': 'application/json' },
      body: JSON.stringify({ images }),
    });
  const half = Buffer.alloc(500, 1);
  await fuse([half.toString('base64'), half.toString('base64')]);
  assert.deepEqual(core.calls[0]?.request['images'], [half, half]);
  for (const [images, reason] of [
    [[half, half, Buffer.of(1)].map((bytes) => bytes.toString('base64')), 'BODY_TOO_LARGE'],
    ['AAAA', 'INVALID_FIELD'],
    [[1], 'INVALID_FIELD'],
  ])
    assert.match(await (await fuse(images)).text(), new RegExp(`"reason":"${String(reason)}"`));
  assert.equal(core.calls.length, 1);
});

test('an RPC with a stream of requests is unimplemented for a page', async (t) => {
  const { url } = await startBoth(t, answerAll);
  for (const [, open] of ways)
    assert.equal(
      (await refusedBy(callUnary(open(url), 'MeterReadingService/StreamReadMeters', {}))).code,
      'Unimplemented',
    );
});
