import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, describe } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import {
  DetectAllFacesRequest,
  FaceDetectionServiceClient,
  type StreamDetectFacesResponse,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import { MeterReadingServiceClient, ReadMeterRequest } from '../../../generated/imageanalysis/v1/meter_reading.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { detailsOfStatus, metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';
import type { TestService } from '../../helpers/service/service.js';
import { type Answer, answerOf, greyPicture, pictureOfBytes } from './limit-senders.js';
import { type Limit, maxImageBytes, maxMessageBytes, startLimited, testLimits, text } from './limit-table.js';

// What only gRPC has a limit for, or one of its own, over real gRPC: the value at the limit is taken, the next one beyond it
// is refused with the listed code, reason and details.

const lifetime = createLifetime();

let service: TestService;
let grey: Buffer;
let face: FaceDetectionServiceClient;
let meter: MeterReadingServiceClient;

const key = () => metadataWithKey(service.apiKey);

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
    name: 'characters of the id of a stream request',
    most: 128,
    send: (n) => streamItem(text(n)),
    refused: ['answered', 'INVALID_FIELD', { field: 'id', limit: '128' }],
  },
];

before(async () => {
  service = await startLimited(lifetime);
  grey = await greyPicture();
  const open = credentials.createInsecure();
  face = new FaceDetectionServiceClient(service.grpc, open);
  meter = new MeterReadingServiceClient(service.grpc, open);
  for (const client of [face, meter]) lifetime.after(() => client.close());
});

describe('limits of gRPC', () => testLimits(grpcLimits));
