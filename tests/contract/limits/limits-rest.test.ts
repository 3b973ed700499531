import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLifetime } from '../../helpers/lifetime.js';
import { startService, type TestService } from '../../helpers/service/service.js';
import {
  type Answer,
  greyPicture,
  multipart,
  pictureOfBytes,
  sendForm,
  sendHead,
  sendHeaders,
  sendRest,
} from './limit-senders.js';

// Every limit of the REST facade, over real HTTP: the value at the limit is taken, the next one beyond
// it is refused with the listed status, reason and details.

const lifetime = createLifetime();

const kilo = 1024;
const maxImageBytes = 10_000;
const maxBodyBytes = 100_000;
const maxFields = 20;
const maxFieldBytes = 70_000;
const maxSide = 200;
const maxPixels = 20_000;
/** Of request target, header names and values; Node refuses at 16 KiB. */
const maxHeadBytes = 16 * kilo - 1;

interface Limit {
  readonly name: string;
  /** The largest value, or the least one, that is taken. */
  readonly most?: number;
  readonly least?: number;
  readonly send: (value: number) => Promise<Answer>;
  /** What comes of the value at the limit. */
  readonly accepted?: string;
  readonly refused: readonly [status: number, outcome: string, details: Readonly<Record<string, string>>];
}

const company = { name: 'acme', password: 'correct horse' };
/** `0.111…` with so many decimals. */
const decimals = (count: number) => `0.${'1'.repeat(count)}`;
const text = (length: number) => 'a'.repeat(length);
/** With 64 letters it is registered. */
const companyOf = (length: number) => 'c'.repeat(length);

/** 20,000 and 20,001 pixels, neither with a side over its limit. */
const sizeOfPixels = (pixels: number) =>
  pixels === maxPixels ? { width: 160, height: 125 } : { width: 177, height: 113 };

const tooLarge = (field: string, limit: number) => [413, 'BODY_TOO_LARGE', { field, limit: String(limit) }] as const;
const malformed = (limit: number, field?: string) =>
  [400, 'MALFORMED_MULTIPART', { ...(field && { field }), limit: String(limit) }] as const;
const tooManyPixels = (value: number, limit: number) =>
  [413, 'IMAGE_TOO_MANY_PIXELS', { field: 'file', value: String(value), limit: String(limit) }] as const;
const invalid = (field: string, value: string, limit?: string) =>
  [400, 'INVALID_FIELD', { field, value, ...(limit && { limit }) }] as const;

/** The largest and the least score of a field, and its decimals. */
function scoreLimits(field: string, send: (score: string) => Promise<Answer>): Limit[] {
  const refused = (value: string) => [400, 'INVALID_SCORE', { field, value }] as const;
  const sendMillionths = (n: number) => send((n / 1e6).toFixed(6));
  return [
    { name: `millionths of ${field}, most`, most: 1e6, send: sendMillionths, refused: refused('1.000001') },
    { name: `millionths of ${field}, least`, least: 0, send: sendMillionths, refused: refused('-0.000001') },
    { name: `decimals of ${field}`, most: 6, send: (n) => send(decimals(n)), refused: refused(decimals(7)) },
  ];
}

let service: TestService;
let grey: Buffer;

const detectForm = (name: string, value: string) => sendForm(service, multipart([['file', grey]], [[name, value]]));

const meterForm = (name: string, value: string) =>
  sendForm(service, multipart([['file', grey]], [[name, value]]), { path: '/meter-number-ocr/file' });

const readDataUrl = (picture: Buffer, bodyBytes = 0, isChunked = false) =>
  sendRest(service, 'POST', '/meter-number-ocr/base64', {
    isChunked,
    body: Buffer.from(
      JSON.stringify({ image: `data:image/png;base64,${picture.toString('base64')}` }).padEnd(bodyBytes),
    ),
  });

const scorePath = `/v1/companies/${company.name}/detection-score`;
const putScore = (score: string, bodyBytes = 0, isChunked = false) =>
  sendRest(service, 'PUT', scorePath, {
    isChunked,
    body: Buffer.from(`{"detection_score": ${score}}`.padEnd(bodyBytes)),
    headers: { 'x-company-password': company.password },
  });

const getScore = (score: string) =>
  sendRest(
    service,
    'GET',
    `/face_config_score?detection=${score}&company=${company.name}&password=${encodeURIComponent(company.password)}`,
  );

/** A form of so many bytes: two fields that nobody knows fill it. */
const formOfBytes = (bytes: number): Buffer => {
  const fill = (length: number) =>
    multipart(
      [['file', grey]],
      [
        ['x', text(Math.floor(length / 2))],
        ['y', text(Math.ceil(length / 2))],
      ],
    );
  return fill(bytes - fill(0).length);
};

const limits: Limit[] = [
  {
    name: 'bytes of a picture in a form',
    most: maxImageBytes,
    send: async (n) => sendForm(service, multipart([['file', await pictureOfBytes(n)]])),
    refused: tooLarge('file', maxImageBytes),
  },
  {
    name: 'bytes of a picture in a data URL',
    most: maxImageBytes,
    send: async (n) => readDataUrl(await pictureOfBytes(n)),
    accepted: 'NO_READING',
    refused: tooLarge('image', maxImageBytes),
  },
  ...[false, true].flatMap((isChunked): Limit[] => {
    const unsaid = isChunked ? ' whose length is not said' : '';
    return [
      {
        name: `bytes of a form${unsaid}`,
        most: maxBodyBytes,
        send: (n) => sendForm(service, formOfBytes(n), { isChunked }),
        refused: tooLarge('body', maxBodyBytes),
      },
      {
        name: `bytes of a JSON body with a picture${unsaid}`,
        most: maxBodyBytes,
        send: (n) => readDataUrl(grey, n, isChunked),
        accepted: 'NO_READING',
        refused: tooLarge('body', maxBodyBytes),
      },
      {
        name: `bytes of a JSON body without one${unsaid}`,
        most: 64 * kilo,
        send: (n) => putScore('0.5', n, isChunked),
        refused: tooLarge('body', 64 * kilo),
      },
    ];
  }),
  {
    name: 'longer side of a picture',
    most: maxSide,
    send: async (width) => sendForm(service, multipart([['file', await greyPicture({ width, height: 10 })]])),
    refused: tooManyPixels(maxSide + 1, maxSide),
  },
  {
    name: 'pixels of a picture',
    most: maxPixels,
    send: async (n) => sendForm(service, multipart([['file', await greyPicture(sizeOfPixels(n))]])),
    refused: tooManyPixels(maxPixels + 1, maxPixels),
  },
  {
    name: 'files of a form',
    most: 1,
    send: (n) => sendForm(service, multipart(['file', 'other'].slice(0, n).map((name) => [name, grey]))),
    refused: malformed(1),
  },
  {
    name: 'fields of a form',
    most: maxFields,
    send: (n) =>
      sendForm(
        service,
        multipart(
          [['file', grey]],
          Array.from({ length: n }, (_, i) => [`x${i}`, '']),
        ),
      ),
    refused: malformed(maxFields),
  },
  {
    name: 'bytes of a field of a form',
    most: maxFieldBytes,
    send: (n) => detectForm('x', text(n)),
    refused: malformed(maxFieldBytes, 'x'),
  },
  { name: 'bytes of the name of a field', most: 100, send: (n) => detectForm(text(n), ''), refused: malformed(100) },
  {
    name: 'bytes of request line and headers',
    most: maxHeadBytes,
    send: (n) => sendHead(service, n),
    refused: [400, 'INVALID_FIELD', { limit: '16384' }],
  },
  {
    name: 'headers of a request',
    most: 100,
    send: (n) => sendHeaders(service, n),
    refused: [400, 'INVALID_FIELD', { limit: '100' }],
  },
  {
    name: 'parameters of a query string',
    most: 64,
    send: (n) => getScore(`0.5${'&x'.repeat(n - 3)}`),
    refused: [400, 'INVALID_FIELD', { field: 'query string', limit: '64' }],
  },
  {
    name: 'characters of a company',
    most: 64,
    send: (n) => detectForm('company', companyOf(n)),
    refused: [404, 'UNKNOWN_COMPANY', { field: 'company', value: companyOf(65) }],
  },
  ...scoreLimits('min_score', (score) => detectForm('min_score', score)),
  {
    name: 'max_faces, largest',
    most: 1000,
    send: (n) => detectForm('max_faces', String(n)),
    refused: invalid('max_faces', '1001', '1000'),
  },
  {
    name: 'max_faces, least',
    least: 1,
    send: (n) => detectForm('max_faces', String(n)),
    refused: invalid('max_faces', '0', '1'),
  },
  ...scoreLimits('detection', getScore),
  ...scoreLimits('detection_score', putScore),
  {
    name: 'expected_digits, largest',
    most: 12,
    send: (n) => meterForm('expected_digits', String(n)),
    accepted: 'NO_READING',
    refused: invalid('expected_digits', '13', '12'),
  },
  {
    name: 'expected_digits, least',
    least: 3,
    send: (n) => meterForm('expected_digits', String(n)),
    accepted: 'NO_READING',
    refused: invalid('expected_digits', '2', '3'),
  },
  {
    name: 'expected_decimals',
    most: 6,
    send: (n) => meterForm('expected_decimals', String(n)),
    accepted: 'NO_READING',
    refused: invalid('expected_decimals', '7', '6'),
  },
  {
    name: 'digits of previous_reading',
    most: 12,
    send: (n) => meterForm('previous_reading', '1'.repeat(n)),
    accepted: 'NO_READING',
    refused: invalid('previous_reading', '1'.repeat(13)),
  },
  {
    name: 'decimals of previous_reading',
    most: 6,
    send: (n) => meterForm('previous_reading', decimals(n)),
    accepted: 'NO_READING',
    refused: invalid('previous_reading', decimals(7)),
  },
];

before(async () => {
  service = await startService(lifetime, {
    // Its names are made up, as many and as long as the limits allow.
    REST_LENIENT_FIELDS: 'true',
    CORE_MAX_IMAGE_BYTES: String(maxImageBytes),
    CORE_MAX_IMAGE_SIDE: String(maxSide),
    CORE_MAX_IMAGE_PIXELS: String(maxPixels),
    REST_MAX_IMAGE_BYTES: String(maxImageBytes),
    REST_MAX_BODY_BYTES: String(maxBodyBytes),
    REST_MAX_FORM_FIELDS: String(maxFields),
    REST_MAX_FIELD_BYTES: String(maxFieldBytes),
  });
  await service.createCompany(company.name, company.password);
  await service.createCompany(companyOf(64), company.password);
  grey = await greyPicture();
});

describe('limits of REST', () => {
  for (const { name, most, least, send, accepted = 'OK', refused } of limits) {
    const limit = most ?? least ?? NaN;
    const beyond = most === undefined ? limit - 1 : limit + 1;
    it(`${name}: ${limit} is taken, ${beyond} is not`, async () => {
      assert.equal((await send(limit)).outcome, accepted);
      const { status, outcome, details } = await send(beyond);
      assert.deepEqual([status, outcome, details], refused);
    });
  }
});
