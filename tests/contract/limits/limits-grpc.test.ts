import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import { AdminServiceClient } from '../../../generated/imageanalysis/v1/admin.js';
import {
  DetectAllFacesRequest,
  FaceDetectionServiceClient,
  type StreamDetectFacesResponse,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import { MeterReadingServiceClient, ReadMeterRequest } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { ScoreConfigServiceClient } from '../../../generated/imageanalysis/v1/score_config.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { detailsOfStatus, metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import type { TestService } from '../../helpers/service/service.js';
import { type Answer, answerOf, greyPicture, pictureOfBytes } from './limit-senders.js';
import {
  company,
  companyOf,
  invalid,
  type Limit,
  maxImageBytes,
  maxMessageBytes,
  maxPixels,
  maxSide,
  scoreLimits,
  sizeOfPixels,
  startLimited,
  testLimits,
  text,
  tooManyPixels,
  unknownCompany,
} from './limit-table.js';

// Every limit of the core and of its administration, over real gRPC: the value at the limit is taken,
// the next one beyond it is refused with the listed code, reason and details.

const lifetime = createLifetime();

let service: TestService;
let grey: Buffer;
let face: FaceDetectionServiceClient;
let meter: MeterReadingServiceClient;
let scores: ScoreConfigServiceClient;
let admin: AdminServiceClient;

const key = () => metadataWithKey(service.apiKey);
const adminKey = () => metadataWithKey('', { adminkey: service.admin.key });

const detect = (request: Partial<DetectAllFacesRequest>) =>
  answerOf(
    unaryCall((done) =>
      face.detectAllFaces(DetectAllFacesRequest.fromPartial({ image: grey, ...request }), key(), done),
    ),
  );

const readMeter = (request: Partial<ReadMeterRequest>) =>
  answerOf(
    unaryCall((done) => meter.readMeter(ReadMeterRequest.fromPartial({ image: grey, ...request }), key(), done)),
  );

const setScore = (detectionScore: number) =>
  answerOf(
    unaryCall((done) =>
      scores.setDetectionScore({ company: company.name, password: company.password, detectionScore }, key(), done),
    ),
  );

const streamItem = async (id: string): Promise<Answer> => {
  const stream = face.streamDetectFaces(key());
  stream.end({ id, request: DetectAllFacesRequest.fromPartial({ image: grey }) });
  const [{ result }] = (await once(stream, 'data')) as [StreamDetectFacesResponse];
  if (result?.$case !== 'error') return { status: 'OK', outcome: 'OK', details: {} };
  const { reason, metadata } = detailsOfStatus(result.value);
  return { status: 'answered', outcome: reason, details: metadata };
};

/** A message of so many bytes: a picture over its own limit fills it. */
const messageOfBytes = (bytes: number) => {
  const image = (length: number) => Buffer.alloc(length, 0xff);
  const sizeOf = (length: number) =>
    ReadMeterRequest.encode(ReadMeterRequest.fromPartial({ image: image(length) })).finish().length;
  const overhead = sizeOf(bytes) - bytes;
  assert.equal(sizeOf(bytes - overhead), bytes);
  return readMeter({ image: image(bytes - overhead) });
};

const argument = 'INVALID_ARGUMENT';
const exhausted = 'RESOURCE_EXHAUSTED';

const grpcLimits: Limit[] = [
  {
    name: 'bytes of a picture',
    most: maxImageBytes,
    send: async (n) => detect({ image: await pictureOfBytes(n) }),
    refused: [
      exhausted,
      'BODY_TOO_LARGE',
      { field: 'image', value: String(maxImageBytes + 1), limit: String(maxImageBytes) },
    ],
  },
  {
    name: 'bytes of a message',
    most: maxMessageBytes,
    send: messageOfBytes,
    accepted: 'BODY_TOO_LARGE',
    refused: [exhausted, '', {}],
  },
  {
    name: 'longer side of a picture',
    most: maxSide,
    send: async (height) => readMeter({ image: await greyPicture({ width: 10, height }) }),
    accepted: 'NO_READING',
    refused: [exhausted, ...dropStatus(tooManyPixels('image', maxSide + 1, maxSide))],
  },
  {
    name: 'pixels of a picture',
    most: maxPixels,
    send: async (n) => readMeter({ image: await greyPicture(sizeOfPixels(n)) }),
    accepted: 'NO_READING',
    refused: [exhausted, ...dropStatus(tooManyPixels('image', maxPixels + 1, maxPixels))],
  },
  ...scoreLimits(argument, 'min_score', (score) => detect({ minScore: Number(score) })),
  {
    name: 'max_faces, largest',
    most: 1000,
    send: (maxFaces) => detect({ maxFaces }),
    refused: invalid(argument, 'max_faces', '1001', '1000'),
  },
  {
    name: 'max_faces, least',
    least: 1,
    send: (maxFaces) => detect({ maxFaces }),
    refused: invalid(argument, 'max_faces', '0', '1'),
  },
  {
    name: 'characters of a company',
    most: 64,
    send: (n) => detect({ company: companyOf(n) }),
    refused: unknownCompany('NOT_FOUND'),
  },
  ...scoreLimits(argument, 'detection_score', (score) => setScore(Number(score))),
  {
    name: 'expected_digits',
    most: 12,
    send: (expectedDigits) => readMeter({ expectedDigits }),
    accepted: 'NO_READING',
    refused: invalid(argument, 'expected_digits', '13', '12'),
  },
  {
    name: 'expected_decimals beside expected_digits',
    most: 4,
    send: (expectedDecimals) => readMeter({ expectedDigits: 5, expectedDecimals }),
    accepted: 'NO_READING',
    refused: invalid(argument, 'expected_decimals', '5', '4'),
  },
  {
    name: 'digits of max_increase',
    most: 12,
    send: (n) => readMeter({ previousReading: '0', maxIncrease: '1'.repeat(n) }),
    accepted: 'NO_READING',
    refused: invalid(argument, 'max_increase', '1'.repeat(13)),
  },
  {
    name: 'characters of the id of a stream request',
    most: 128,
    send: (n) => streamItem(text(n)),
    refused: ['answered', 'INVALID_FIELD', { field: 'id', limit: '128' }],
  },
];

const passwordLimit = { field: 'password', limit: '8..128' };
const setPassword = (length: number) =>
  answerOf(unaryCall((done) => admin.setCompanyPassword({ name: 'other', password: text(length) }, adminKey(), done)));

const adminLimits: Limit[] = [
  {
    name: 'characters of a label',
    most: 128,
    send: (n) =>
      answerOf(
        unaryCall((done) =>
          admin.createApiKey({ label: text(n), operations: [], expireTime: undefined }, adminKey(), done),
        ),
      ),
    refused: invalid(argument, 'label', `${text(128)}…`),
  },
  {
    name: 'characters of the name of a company',
    most: 64,
    send: (n) =>
      answerOf(
        unaryCall((done) => admin.createCompany({ name: text(n), password: company.password }, adminKey(), done)),
      ),
    refused: invalid(argument, 'name', text(65)),
  },
  {
    name: 'characters of a password, most',
    most: 128,
    send: setPassword,
    refused: [argument, 'INVALID_FIELD', passwordLimit],
  },
  {
    name: 'characters of a password, least',
    least: 8,
    send: setPassword,
    refused: [argument, 'INVALID_FIELD', passwordLimit],
  },
];

before(async () => {
  service = await startLimited(lifetime);
  await service.createCompany('other', company.password);
  grey = await greyPicture();
  const open = credentials.createInsecure();
  face = new FaceDetectionServiceClient(service.grpc, open);
  meter = new MeterReadingServiceClient(service.grpc, open);
  scores = new ScoreConfigServiceClient(service.grpc, open);
  admin = new AdminServiceClient(service.admin.address, open);
  for (const client of [face, meter, scores, admin]) lifetime.after(() => client.close());
});

describe('limits of gRPC', () => testLimits(grpcLimits));
describe('limits of the administration', () => testLimits(adminLimits));

function dropStatus<Details>([, outcome, details]: readonly [number, string, Details]) {
  return [outcome, details] as const;
}
