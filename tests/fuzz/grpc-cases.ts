import {
  DetectAllFacesRequest,
  DetectSingleFaceRequest,
} from '../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterRequest } from '../../generated/imageanalysis/v1/meter_reading.js';
import {
  GetDetectionScoreRequest,
  SetDetectionScoreRequest,
} from '../../generated/imageanalysis/v1/score_config.js';
import type { HttpMaterial } from './http-cases.js';
import { mutate, strangeText } from './mutate.js';
import type { Random } from './random.js';

/** One unary call with the bytes of its message, and what to call it in a report. */
export interface GrpcCase {
  readonly kind: string;
  readonly path: string;
  readonly message: Buffer;
}

const numbers = [0, -0, 0.5, 1, 1.000001, -1, NaN, Infinity, 1e308, 5e-324];

/** A call of the core whose message is strange inside, or damaged as a whole. */
export function createGrpcCase(random: Random, { pickPicture }: HttpMaterial): GrpcCase {
  const picture = pickPicture(random);
  const image = random.chance(0.6) ? mutate(picture.bytes, random) : picture.bytes;
  const company = random.chance(0.5) ? '' : random.pick(['demo', strangeText(random)]);
  const minScore = random.chance(0.5) ? undefined : random.pick(numbers);
  const password = strangeText(random);
  const calls: readonly (readonly [string, () => Uint8Array])[] = [
    [
      'FaceDetectionService/DetectSingleFace',
      () => encode(DetectSingleFaceRequest, { image, company, minScore }),
    ],
    [
      'FaceDetectionService/DetectAllFaces',
      () => encode(DetectAllFacesRequest, { image, company, minScore, maxFaces: random.int(4000) }),
    ],
    ['MeterReadingService/ReadMeter', () => encode(ReadMeterRequest, { image })],
    [
      'ScoreConfigService/GetDetectionScore',
      () => encode(GetDetectionScoreRequest, { company, password }),
    ],
    [
      'ScoreConfigService/SetDetectionScore',
      () => encode(SetDetectionScoreRequest, { company, password }),
    ],
    ['NoSuchService/NoSuchMethod', () => random.bytes(20)],
  ];
  const [name, create] = random.pick(calls);
  const whole = Buffer.from(create());
  const message = random.chance(0.4) ? mutate(whole, random) : whole;
  return { kind: `gRPC ${name}`, path: `/imageanalysis.v1.${name}`, message };
}

interface Codec<T> {
  fromPartial(partial: Partial<T>): T;
  encode(message: T): { finish(): Uint8Array };
}

function encode<T>(codec: Codec<T>, partial: Partial<T>): Uint8Array {
  return codec.encode(codec.fromPartial(partial)).finish();
}
