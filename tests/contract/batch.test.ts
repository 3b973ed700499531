import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { before, describe, it, test } from 'node:test';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { eventually } from '../helpers/eventually.js';
import { createLifetime } from '../helpers/lifetime.js';
import type { OpenApiDocument } from '../helpers/net/openapi.js';
import { readSample } from '../helpers/pictures/samples.js';
import { scriptedPicture } from '../helpers/pictures/scripted-pictures.js';
import { detect, startScripted } from '../helpers/service/scripted-service.js';
import { startService, type TestService } from '../helpers/service/service.js';

// Many pictures in one request: a line for each as soon as it is ready.

const lifetime = createLifetime();

interface Line {
  readonly index?: number;
  readonly filename?: string;
  readonly message: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, string>>;
  readonly process_time?: number;
  readonly result?: readonly { readonly detection_score: string; readonly face?: string }[];
  readonly value?: string;
}

type Part = readonly [name: string, value: string | Uint8Array, filename?: string];

function toForm(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value, filename] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([new Uint8Array(value)]), filename ?? 'a.jpg');
  return form;
}

const post = (
  service: Pick<TestService, 'rest' | 'apiKey'>,
  parts: readonly Part[],
  path = '/v1/faces/batch',
  more = {},
) => fetch(service.rest + path, { method: 'POST', headers: { apikey: service.apiKey }, body: toForm(parts), ...more });

async function linesOf(answer: Response): Promise<Line[]> {
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson');
  assert.ok(text.endsWith('\n'));
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const byIndex = (lines: readonly Line[]) => lines.toSorted((a, b) => (a.index ?? 99) - (b.index ?? 99));

const reasonOf = async (answer: Response) => [answer.status, ((await answer.json()) as Line).reason];

describe('a batch', () => {
  let service: TestService;
  let portrait: Buffer;
  let meter: Buffer;

  before(async () => {
    service = await startService(lifetime, {
      REST_MAX_IMAGE_BYTES: '400000',
      CORE_MAX_IMAGE_BYTES: '400000',
      REST_MAX_BATCH_FILES: '4',
      REST_MAX_BATCH_BYTES: '2000000',
    });
    await service.createCompany('acme', 'correct horse');
    portrait = await readSample('astronaut.jpg');
    meter = await readSample('meter.jpg');
  });

  it('has a line for each picture, with its index and name, results as of one, and its own error', async () => {
    const answer = await post(service, [
      ['company', 'acme'],
      ['crop', 'false'],
      ['file', portrait, 'ärger 1.jpg'],
      ['file', Buffer.from('no picture'), 'b.txt'],
      ['file', meter, 'c.jpg'],
    ]);
    const [face, broken, empty, ...rest] = byIndex(await linesOf(answer));
    assert.deepEqual(rest, []);
    const one = await fetch(`${service.rest}/face_detect_multi`, {
      method: 'POST',
      headers: { apikey: service.apiKey },
      body: toForm([
        ['crop', 'false'],
        ['file', portrait],
      ]),
    });
    const { process_time: time, ...shown } = (await one.json()) as Line;
    const { process_time: ownTime, ...own } = face ?? { message: '' };
    assert.deepEqual(own, { index: 0, filename: 'ärger 1.jpg', ...shown });
    assert.ok(time && ownTime && ownTime < 5);
    assert.deepEqual([broken?.index, broken?.filename, broken?.reason], [1, 'b.txt', 'UNSUPPORTED_IMAGE_TYPE']);
    // As the caller sent it.
    assert.deepEqual(broken?.details, { field: 'file' });
    assert.match(broken?.message ?? '', /^file is of an unknown type/);
    assert.deepEqual([empty?.index, empty?.message, empty?.result], [2, 'success', []]);
  });

  it('shows a name without its folders, and cuts a long one to whole characters', async () => {
    const start = 'x'.repeat(254);
    for (const [sent, shown] of [
      [`${start}😀.jpg`, `${start}\ufffd`],
      ['/home/me/a.jpg', 'a.jpg'],
      ['C:\\photos\\a.jpg', 'a.jpg'],
    ] as const) {
      const [line] = await linesOf(await post(service, [['file', Buffer.from('no picture'), sent]]));
      assert.equal(line?.filename, shown);
    }
  });

  it('refuses a picture that is too large alone', async () => {
    const files: Part[] = [
      ['file', Buffer.concat([portrait, Buffer.alloc(400_000)]), 'large.jpg'],
      ['file', portrait, 'good.jpg'],
    ];
    const lines = byIndex(await linesOf(await post(service, files)));
    assert.deepEqual(
      lines.map(({ index, filename, reason, message }) => [index, filename, reason ?? message]),
      [
        [0, 'large.jpg', 'BODY_TOO_LARGE'],
        [1, 'good.jpg', 'success'],
      ],
    );
  });

  it('is refused as any request before the first line', async () => {
    const file: Part = ['file', portrait];
    const { secret } = await service.createKey({ operations: [Operation.METER_READING] });
    const limited = { ...service, apiKey: secret };
    assert.deepEqual(await reasonOf(await post(limited, [file])), [403, 'KEY_NOT_ALLOWED']);
    for (const [parts, status, reason] of [
      [[], 400, 'MISSING_FIELD'],
      [[['crop', 'true']], 400, 'MISSING_FIELD'],
      [[['minscore', '0.5'], file], 400, 'UNKNOWN_FIELD'],
      [[['min_score', 'x'], file], 400, 'INVALID_SCORE'],
      [[['crop', 'true'], ['crop', 'true'], file], 400, 'REPEATED_FIELD'],
      [Array.from({ length: 5 }, () => file), 400, 'MALFORMED_MULTIPART'],
      [[['file', Buffer.alloc(2_100_000)]], 413, 'BODY_TOO_LARGE'],
    ] as [Part[], number, string][])
      assert.deepEqual(await reasonOf(await post(service, parts)), [status, reason], JSON.stringify(parts[0]));
    const query = await post(service, [file], '/v1/faces/batch?crop=true');
    assert.deepEqual(await reasonOf(query), [400, 'INVALID_FIELD']);
    const headers = { apikey: service.apiKey };
    for (const [more, status, reason] of [
      [{ headers: { apikey: '' } }, 401, 'MISSING_API_KEY'],
      [{ headers: { apikey: `${service.apiKey.slice(0, -1)}x` } }, 401, 'INVALID_API_KEY'],
      [{ headers: { ...headers, 'content-type': 'application/json' }, body: '{}' }, 415, 'UNSUPPORTED_CONTENT_TYPE'],
      [{ headers: { ...headers, 'content-encoding': 'gzip' } }, 415, 'UNSUPPORTED_CONTENT_TYPE'],
    ] as const)
      assert.deepEqual(await reasonOf(await post(service, [file], undefined, more)), [status, reason]);
  });

  it('is refused for the values that the document shows with a status', async () => {
    const { paths } = (await (await fetch(`${service.rest}/openapi.json`)).json()) as OpenApiDocument;
    let asked = 0;
    for (const path of ['/v1/faces/batch', '/v1/meters/batch'])
      for (const [reason, { value }] of Object.entries(
        paths[path]?.['post']?.responses['400']?.content['application/json']?.examples ?? {},
      )) {
        const { field = '', value: sent } = (value as Line).details ?? {};
        if (sent === undefined) continue;
        const parts: Parameters<typeof post>[1] = [
          [field, sent],
          ['file', portrait],
        ];
        assert.deepEqual(await reasonOf(await post(service, parts, path)), [400, reason], path);
        asked += 1;
      }
    assert.ok(asked > 0);
  });

  it('is too large as the document says', async () => {
    const { paths } = (await (await fetch(`${service.rest}/openapi.json`)).json()) as OpenApiDocument;
    const withoutId = (line: unknown) => ({ ...(line as Line), request_id: undefined });
    for (const path of ['/v1/faces/batch', '/v1/meters/batch']) {
      const shown = paths[path]?.['post']?.responses['413']?.content['application/json']?.examples ?? {};
      const refused = await (await post(service, [['file', Buffer.alloc(2_100_000)]], path)).json();
      assert.deepEqual(withoutId(shown['BODY_TOO_LARGE']?.value), withoutId(refused), path);
    }
  });

  it('wants its fields before its files', async () => {
    const answer = await post(service, [
      ['file', Buffer.alloc(0)],
      ['crop', 'false'],
    ]);
    assert.deepEqual(await reasonOf(answer), [400, 'INVALID_FIELD']);
  });

  it('says that the core is away', async (t) => {
    const { service: alone } = await startScripted(t);
    await alone.closeCore();
    assert.deepEqual(await reasonOf(await post(alone, [['file', portrait]])), [503, 'CORE_UNAVAILABLE']);
  });
});

/** A form that is sent part by part. */
function openForm(service: TestService) {
  const sent = httpRequest(`${service.rest}/v1/faces/batch`, {
    method: 'POST',
    headers: { apikey: service.apiKey, 'content-type': 'multipart/form-data; boundary=b' },
  });
  sent.on('error', () => undefined);
  return {
    sent,
    add: (name: string, picture: Uint8Array) => {
      sent.write(`--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
      sent.write(picture);
      return new Promise<void>((resolve) => sent.write('\r\n', () => resolve()));
    },
    end: () => sent.end('--b--\r\n'),
  };
}

const answerOf = async (sent: ClientRequest) => ((await once(sent, 'response')) as [IncomingMessage])[0];

async function* readLines(answer: IncomingMessage): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: answer })) yield JSON.parse(line) as Line;
}

test('a line comes as soon as its picture is ready, while others are being sent and analysed', async (t) => {
  const { stage, service } = await startScripted(t, { CORE_WORKERS: '2' });
  const { sent, add, end } = openForm(service);
  await add('slow', scriptedPicture('slow', 'wait'));
  await add('fast', scriptedPicture('fast'));
  // busboy gives a file when the next boundary has come.
  void add('last', scriptedPicture('last'));
  const lines = readLines(await answerOf(sent));
  const next = async () => ((await lines.next()).value as Line).filename;
  assert.equal(await next(), 'fast');
  end();
  assert.equal(await next(), 'last');
  stage.release('slow');
  assert.equal(await next(), 'slow');
  assert.equal((await lines.next()).done, true);
});

test('what breaks off a batch is in its last line', async (t) => {
  const { stage, service } = await startScripted(t, { REST_MAX_BATCH_FILES: '2' });
  const { sent, add } = openForm(service);
  await add('a', scriptedPicture('a'));
  void add('b', scriptedPicture('b', 'wait'));
  const lines = readLines(await answerOf(sent));
  const next = async () => (await lines.next()).value as Line;
  assert.equal((await next()).filename, 'a');
  void add('c', scriptedPicture('c'));
  const [open, last] = [await next(), await next()];
  const why = 'body has too many files, want at most 2';
  assert.deepEqual([open.index, open.filename, open.message], [1, 'b', why]);
  assert.deepEqual([last.index, last.reason, last.message], [undefined, 'MALFORMED_MULTIPART', why]);
  assert.equal((await lines.next()).done, true);
  stage.release('b');
});

test('a line that is refused for a while says for how long', async (t) => {
  const { service } = await startScripted(t, { CORE_RATE_LIMIT_PER_MINUTE: '1' });
  const pictures = ['a', 'b'].map((name): Part => ['file', scriptedPicture(name)]);
  const lines = await linesOf(await post(service, pictures));
  const { reason, details } = lines.find((line) => line.reason !== undefined) ?? {};
  assert.equal(reason, 'RATE_LIMITED');
  assert.match(details?.['retry_after'] ?? '', /^[1-6]?[0-9]$/);
});

test('of a caller who goes away, no further picture is analysed', async (t) => {
  const { stage, service, log } = await startScripted(t, { CORE_WORKERS: '1' });
  const { sent, add } = openForm(service);
  for (const name of ['a', 'b', 'c']) await add(name, scriptedPicture(name, 'wait'));
  void add('d', scriptedPicture('d', 'wait'));
  await stage.waitForBegun(1);
  sent.destroy();
  // The core hears of it through the facade.
  await eventually(() => log.entries.some(({ msg, reason }) => msg === 'call refused' && reason === 'CLIENT_CLOSED'));
  for (const name of ['a', 'b', 'c', 'd']) stage.release(name);
  const [line] = await linesOf(await post(service, [['file', scriptedPicture('next')]]));
  assert.equal(line?.message, 'success');
  assert.deepEqual(stage.begun, ['a', 'next']);
});

test('a request that breaks off behind the first line is waited for no longer', async (t) => {
  const { service } = await startScripted(t, { REST_REQUEST_TIMEOUT_MS: '5000' });
  const { sent, add } = openForm(service);
  await add('a', scriptedPicture('a'));
  void add('b', scriptedPicture('b'));
  const lines = readLines(await answerOf(sent));
  const next = async () => (await lines.next()).value as Line;
  assert.equal((await next()).filename, 'a');
  sent.socket?.end();
  const { index, reason } = await next();
  assert.deepEqual([index, reason], [undefined, 'INVALID_FIELD']);
});

test('what is not ready in time says so', async (t) => {
  const { stage, service } = await startScripted(t, { CORE_WORKERS: '2', REST_REQUEST_TIMEOUT_MS: '1500' });
  const lines = await linesOf(
    await post(service, [
      ['file', scriptedPicture('slow', 'wait'), 'slow'],
      ['file', scriptedPicture('fast'), 'fast'],
    ]),
  );
  stage.release('slow');
  assert.deepEqual(
    lines.map(({ filename, reason = 'OK' }) => [filename, reason]),
    [
      ['fast', 'OK'],
      ['slow', 'DEADLINE'],
      [undefined, 'DEADLINE'],
    ],
  );
});

test('open batches leave room for everything else', { timeout: 30_000 }, async (t) => {
  const { service } = await startScripted(t);
  const reasons: string[] = [];
  // More than calls of the facade that a core has room for; nothing of them comes behind their headers.
  const batches = Array.from({ length: 240 }, () => {
    const { sent } = openForm(service);
    sent.flushHeaders();
    sent.on('response', (answer: IncomingMessage) => {
      void (async () => {
        for await (const { reason = '' } of readLines(answer)) reasons.push(reason);
      })();
    });
    return sent;
  });
  t.after(() => batches.forEach((sent) => sent.destroy()));
  // Of 64, one address gets four fifths.
  await eventually(() => reasons.length >= 240 - 51);
  assert.deepEqual(new Set(reasons), new Set(['QUEUE_FULL']));
  assert.equal((await fetch(`${service.rest}/readyz`)).status, 200);
  const { status } = await detect(service, scriptedPicture('a', 'answer', { cropBytes: 1 }));
  assert.equal(status, 200);

  for (const sent of batches) sent.destroy();
  const again = async () => (await post(service, [['file', scriptedPicture('b')]])).status;
  await eventually(async () => (await again()) === 200);
});
