import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLifetime } from '../../helpers/lifetime.js';
import { answerAll } from '../answers.js';
import { type ErrorBody, startBoth, type TestFacade, withKey } from '../facade.js';
import { exchange } from '../raw-http.js';

// Every limit of a request, over HTTP: the value at the limit is taken, the next one is refused with the listed status,
// reason and details.

const kilo = 1024;
const maxImageBytes = 10_000;
const maxBodyBytes = Math.ceil(maxImageBytes / 3) * 4 + 2 * kilo * kilo;
const maxFields = 20;
const maxFieldBytes = 710_000;
/** Of request target, header names and values; Node.js refuses at 16 KiB. */
const maxHeadBytes = 16 * kilo - 1;

const lifetime = createLifetime();
let facade: TestFacade;

before(async () => {
  facade = await startBoth(lifetime, answerAll, {
    // Names are made up, as many and as long as the limits allow.
    REST_LENIENT_FIELDS: 'true',
    REST_MAX_IMAGE_BYTES: String(maxImageBytes),
    REST_MAX_FORM_FIELDS: String(maxFields),
    REST_MAX_FIELD_BYTES: String(maxFieldBytes),
  });
});

interface Answer {
  readonly status: number;
  /** Absent where nothing is refused. */
  readonly reason?: string;
  readonly details?: Readonly<Record<string, string>>;
}

interface Limit {
  readonly name: string;
  /** The largest value that is taken. */
  readonly most: number;
  readonly send: (value: number) => Promise<Answer>;
  readonly refused: readonly [status: number, reason: string, details: Readonly<Record<string, string>>];
}

async function send(method: string, path: string, body: Buffer, type: string, isChunked = false): Promise<Answer> {
  const answer = await fetch(facade.url + path, {
    method,
    headers: { ...withKey, ...(type && { 'content-type': type }) },
    body: isChunked ? new Blob([new Uint8Array(body)]).stream() : new Uint8Array(body),
    ...(isChunked && { duplex: 'half' }),
  });
  return { ...((await answer.json()) as ErrorBody), status: answer.status };
}

const part = (disposition: string, value: string) =>
  `--b\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const toForm = (files: [name: string, bytes: number][], fields: [name: string, value: string][] = []) =>
  Buffer.from(
    [
      ...fields.map(([name, value]) => part(`name="${name}"`, value)),
      ...files.map(([name, bytes]) => part(`name="${name}"; filename="a"`, text(bytes))),
      '--b--\r\n',
    ].join(''),
  );
const oneFile: [name: string, bytes: number][] = [['file', 1]];
const withFields = (fields: [name: string, value: string][]) => toForm(oneFile, fields);
const text = (length: number) => 'a'.repeat(length);

const sendForm = (form: Buffer, isChunked = false) =>
  send('POST', '/face_detect_multi', form, 'multipart/form-data; boundary=b', isChunked);
const sendField = (name: string, value: string) => sendForm(withFields([[name, value]]));
const sendPicture = (bytes: number, isChunked: boolean) =>
  send('POST', '/face_detect_multi', Buffer.alloc(bytes), 'image/jpeg', isChunked);
const sendDataUrl = (pictureBytes: number, bodyBytes = 0, isChunked = false) => {
  const image = `data:image/png;base64,${Buffer.alloc(pictureBytes).toString('base64')}`;
  const body = JSON.stringify({ image }).padEnd(bodyBytes);
  return send('POST', '/meter-number-ocr/base64', Buffer.from(body), '', isChunked);
};
const sendScore = (bodyBytes: number, isChunked: boolean) => {
  const body = '{"detection_score": 0.5}'.padEnd(bodyBytes);
  return send('PUT', '/v1/companies/acme/detection-score', Buffer.from(body), '', isChunked);
};
/** A form of so many bytes, most of them in three fields. */
const formOfBytes = (bytes: number) => {
  const fill = (length: number) =>
    withFields(Array.from('xyz', (name, i) => [name, text(Math.floor((length + i) / 3))]));
  return fill(bytes - fill(0).length);
};

async function get(target: string, headers: readonly (readonly [name: string, value: string])[]): Promise<Answer> {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const { status, body } = await exchange(facade.port, [`GET ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  return { ...(JSON.parse(body) as ErrorBody), status };
}
const headers = [
  ['host', 'test'],
  ['connection', 'close'],
  ['apikey', 'k'],
] as const;

const tooLarge = (field: string, limit: number) => [413, 'BODY_TOO_LARGE', { field, limit: String(limit) }] as const;
const malformed = (limit: number, field?: string) =>
  [400, 'MALFORMED_MULTIPART', { ...(field && { field }), limit: String(limit) }] as const;

const limits: Limit[] = [
  {
    name: 'bytes of a picture in a form',
    most: maxImageBytes,
    send: (n) => sendForm(toForm([['file', n]])),
    refused: tooLarge('file', maxImageBytes),
  },
  {
    name: 'bytes of a picture in a data URL',
    most: maxImageBytes,
    send: (n) => sendDataUrl(n),
    refused: tooLarge('image', maxImageBytes),
  },
  ...[false, true].flatMap((isChunked): Limit[] => {
    const unsaid = isChunked ? ' whose length is not said' : '';
    return [
      {
        name: `bytes of a picture alone${unsaid}`,
        most: maxImageBytes,
        send: (n) => sendPicture(n, isChunked),
        refused: tooLarge('body', maxImageBytes),
      },
      {
        name: `bytes of a form${unsaid}`,
        most: maxBodyBytes,
        send: (n) => sendForm(formOfBytes(n), isChunked),
        refused: tooLarge('body', maxBodyBytes),
      },
      {
        name: `bytes of a JSON body with a picture${unsaid}`,
        most: maxBodyBytes,
        send: (n) => sendDataUrl(1, n, isChunked),
        refused: tooLarge('body', maxBodyBytes),
      },
      {
        name: `bytes of a JSON body without one${unsaid}`,
        most: 64 * kilo,
        send: (n) => sendScore(n, isChunked),
        refused: tooLarge('body', 64 * kilo),
      },
    ];
  }),
  {
    name: 'files of a form',
    most: 1,
    send: (n) => sendForm(toForm(n === 1 ? oneFile : [...oneFile, ['other', 1]])),
    refused: malformed(1),
  },
  {
    name: 'fields of a form',
    most: maxFields,
    send: (n) => sendForm(withFields(Array.from({ length: n }, (_, i) => [`x${i}`, '']))),
    refused: malformed(maxFields),
  },
  {
    name: 'bytes of a field of a form',
    most: maxFieldBytes,
    send: (n) => sendField('x', text(n)),
    refused: malformed(maxFieldBytes, 'x'),
  },
  { name: 'bytes of the name of a field', most: 100, send: (n) => sendField(text(n), ''), refused: malformed(100) },
  {
    name: 'bytes of request line and headers',
    most: maxHeadBytes,
    send: (n) => {
      const start = '/livez?';
      return get(start + text(n - start.length - headers.flat().join('').length), headers);
    },
    refused: [400, 'INVALID_FIELD', { limit: '16384' }],
  },
  {
    name: 'headers of a request',
    most: 100,
    send: (n) =>
      get('/livez', [...headers, ...Array.from({ length: n - headers.length }, (_, i) => [`x-${i}`, 'a'] as const)]),
    refused: [400, 'INVALID_FIELD', { limit: '100' }],
  },
  {
    name: 'parameters of a query string',
    most: 64,
    send: (n) => get(`/face_config_score?detection${'&x'.repeat(n - 1)}`, headers),
    refused: [400, 'INVALID_FIELD', { field: 'query string', limit: '64' }],
  },
];

describe('limits of a request', () => {
  for (const { name, most, send, refused } of limits)
    it(`${name}: ${most} is taken, ${most + 1} is not`, async () => {
      assert.equal((await send(most)).status, 200);
      const { status, reason, details } = await send(most + 1);
      assert.deepEqual([status, reason, details], refused);
    });

  it('too many headers are the mistake, not the host that was dropped with them', async () => {
    const others = Array.from({ length: 200 }, () => ['a', ''] as const);
    const { status, details } = await get('/livez', [...others, ...headers]);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(details ?? {}), ['limit']);
  });

  it('a header that some versions of Node.js cannot list is refused', async () => {
    const { status, reason, details } = await get('/livez', [...headers, ['__Proto__', 'a']]);
    assert.deepEqual([status, reason, details], [400, 'INVALID_FIELD', { field: '__proto__' }]);
  });
});
