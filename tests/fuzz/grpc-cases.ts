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
  /** Its picture, if it has one and is not damaged around it, and the same call with another one. */
  readonly picture?: { readonly bytes: Buffer; with(bytes: Buffer): Buffer } | undefined;
}

const numbers = [0, -0, 0.5, 1, 1.000001, -1, NaN, Infinity, 1e308, 5e-324];

/** A call of the core whose message is strange inside, or damaged as a whole. */
export function createGrpcCase(random: Random, { pictures }: HttpMaterial): GrpcCase {
  const damage = ({ bytes }: HostilePicture): Buffer => (random.chance(0.8) ? mutate(bytes, random) : bytes);
  const company = random.pick(['', strangeText(random)]);
  const minScore = random.chance(0.5) ? undefined : random.pick(numbers);
  const password = strangeText(random);
  // The password of a company that may be is hashed, for a tenth of a second.
  const login = (): string => (random.chance(0.02) ? 'demo' : company);
  // The damaged picture, for the calls that have one.
  let image: Buffer | undefined;
  const faces = (): Buffer => (image = damage(pictures.forFaces(random)));
  const calls: readonly (readonly [string, () => (picture: Buffer) => Uint8Array])[] = [
    [
      'FaceDetectionService/DetectSingleFace',
      () => {
        faces();
        return (image) => encode(DetectSingleFaceRequest, { image, company, minScore });
      },
    ],
    [
      'FaceDetectionService/DetectAllFaces',
      () => {
        faces();
        const maxFaces = random.int(4000);
        return (image) => encode(DetectAllFacesRequest, { image, company, minScore, maxFaces });
      },
    ],
    [
      'MeterReadingService/ReadMeter',
      () => {
        image = damage(pictures.forMeter(random));
        return (image) => encode(ReadMeterRequest, { image });
      },
    ],
    [
      'ScoreConfigService/GetDetectionScore',
      () => {
        const message = encode(GetDetectionScoreRequest, { company: login(), password });
        return () => message;
      },
    ],
    [
      'ScoreConfigService/SetDetectionScore',
      () => {
        const message = encode(SetDetectionScoreRequest, { company: login(), password });
        return () => message;
      },
    ],
    [
      'NoSuchService/NoSuchMethod',
      () => {
        const message = random.bytes(20);
        return () => message;
      },
    ],
  ];
  const [name, create] = random.pick(calls);
  const encodeWith = create();
  const whole = Buffer.from(encodeWith(image ?? Buffer.alloc(0)));
  const isDamaged = random.chance(0.4);
  const message = isDamaged ? mutate(whole, random) : whole;
  const picture =
    image && !isDamaged ? { bytes: image, with: (bytes: Buffer) => Buffer.from(encodeWith(bytes)) } : undefined;
  return { kind: `gRPC ${name}`, path: `/imageanalysis.v1.${name}`, message, picture };
}

interface Codec<T> {
  fromPartial(partial: Partial<T>): T;
  encode(message: T): { finish(): Uint8Array };
}

function encode<T>(codec: Codec<T>, partial: Partial<T>): Uint8Array {
  return codec.encode(codec.fromPartial(partial)).finish();
}
