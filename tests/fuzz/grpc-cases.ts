import { DetectAllFacesRequest, DetectSingleFaceRequest } from '../../generated/imageanalysis/v1/face_detection.js';
import { ReadMeterRequest } from '../../generated/imageanalysis/v1/meter_reading.js';
import { GetDetectionScoreRequest, SetDetectionScoreRequest } from '../../generated/imageanalysis/v1/score_config.js';
import type { HttpMaterial } from './http-cases.js';
import { mutate, strangeText } from './mutate.js';
import type { HostilePicture } from './pictures.js';
import type { Random } from './random.js';

/** One unary call with the bytes of its message, and what to call it in a report. */
export interface GrpcCase {
  readonly kind: string;
  readonly path: string;
  readonly message: Buffer;
  readonly picture?: Buffer | undefined;
}

const numbers = [0, -0, 0.5, 1, 1.000001, -1, NaN, Infinity, 1e308, 5e-324];

/** A call of the core whose message is strange inside, or damaged as a whole. */
export function createGrpcCase(random: Random, { pictures }: HttpMaterial): GrpcCase {
  const company = random.pick(['', strangeText(random)]);
  const minScore = random.chance(0.5) ? undefined : random.pick(numbers);
  const password = strangeText(random);
  // The password of a company that may be is hashed, for a tenth of a second.
  const login = (): string => (random.chance(0.02) ? 'demo' : company);
  let picture: Buffer | undefined;
  const damage = ({ bytes }: HostilePicture): Buffer => (picture = random.chance(0.8) ? mutate(bytes, random) : bytes);
  const calls: readonly (readonly [string, () => Uint8Array])[] = [
    [
      'FaceDetectionService/DetectSingleFace',
      () => encode(DetectSingleFaceRequest, { image: damage(pictures.forFaces(random)), company, minScore }),
    ],
    [
      'FaceDetectionService/DetectAllFaces',
      () => {
        const [image, maxFaces] = [damage(pictures.forFaces(random)), random.int(4000)];
        return encode(DetectAllFacesRequest, { image, company, minScore, maxFaces });
      },
    ],
    ['MeterReadingService/ReadMeter', () => encode(ReadMeterRequest, { image: damage(pictures.forMeter(random)) })],
    ['ScoreConfigService/GetDetectionScore', () => encode(GetDetectionScoreRequest, { company: login(), password })],
    ['ScoreConfigService/SetDetectionScore', () => encode(SetDetectionScoreRequest, { company: login(), password })],
    ['NoSuchService/NoSuchMethod', () => random.bytes(20)],
  ];
  const [name, create] = random.pick(calls);
  const whole = Buffer.from(create());
  const message = random.chance(0.4) ? mutate(whole, random) : whole;
  return { kind: `gRPC ${name}`, path: `/imageanalysis.v1.${name}`, message, picture };
}

interface Codec<T> {
  fromPartial(partial: Partial<T>): T;
  encode(message: T): { finish(): Uint8Array };
}

function encode<T>(codec: Codec<T>, partial: Partial<T>): Uint8Array {
  return codec.encode(codec.fromPartial(partial)).finish();
}
