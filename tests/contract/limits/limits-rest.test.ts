import { before, describe } from 'node:test';
import { createLifetime } from '../../helpers/lifetime.js';
import type { TestService } from '../../helpers/service/service.js';
import { greyPicture, multipart, pictureOfBytes, sendForm, sendHead, sendRest } from './limit-senders.js';
import {
  company,
  companyOf,
  decimals,
  invalid,
  kilo,
  type Limit,
  malformed,
  maxBodyBytes,
  maxFieldBytes,
  maxFields,
  maxHeadBytes,
  maxImageBytes,
  maxPixels,
  maxSide,
  scoreLimits,
  sizeOfPixels,
  startLimited,
  testLimits,
  text,
  tooLarge,
  tooManyPixels,
  unknownCompany,
} from './limit-table.js';

// Every limit of the REST facade, over real HTTP: the value at the limit is taken, the next one beyond
// it is refused with the listed status, reason and details.

const lifetime = createLifetime();

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
    name: 'characters of a company',
    most: 64,
    send: (n) => detectForm('company', companyOf(n)),
    refused: unknownCompany,
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
  service = await startLimited(lifetime);
  grey = await greyPicture();
});

describe('limits of REST', () => {
  testLimits(limits);
});
