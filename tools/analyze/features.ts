import {
  type DetectAllFacesResponse,
  fromStatus,
  type ImageAnalysisClient,
  type PhotoReading,
  type ReadMeterResponse,
  type RedactFacesResponse,
  RefusedError,
} from '../../sdk/typescript/client.js';
import type { MeterAnswer } from '../../sdk/typescript/rest.js';
import type { Annotation } from '../annotate/annotate.js';
import { annotateFace, annotateMeter, type DrawnFace } from '../annotate/annotations.js';

/** Why a picture has no answer. */
export interface PictureError {
  readonly code: string;
  readonly reason: string;
  readonly message: string;
}

export type FeatureName = 'faces' | 'meters' | 'redactions' | 'fused';

/** One line of the output, with the names of the REST API. */
export interface Line {
  readonly file: string;
  readonly feature: FeatureName;
  readonly error?: PictureError;
  readonly [member: string]: unknown;
}

/** A picture with its faces hidden. */
export type Redacted = Pick<RedactFacesResponse, 'image' | 'contentType'>;

/** What the requests of a run say besides the pictures: those for faces; meters need none of it. */
export interface RequestOptions {
  readonly company: string;
  readonly minScore: number | undefined;
  readonly landmarks: boolean;
}

/** The answer to the picture with this id. */
interface Answer {
  readonly id: string;
  readonly refused?: RefusedError;
  /** Of its line. */
  readonly members: Partial<Line>;
  /** The picture that the service made of it. */
  readonly redacted?: Redacted | undefined;
}

/** A picture, or photos of one meter. */
interface Pictures {
  readonly id: string;
  readonly files: readonly string[];
  readonly images: Buffer[];
}

interface Feature {
  /** Sends pictures through its bulk stream; the answers come in any order. */
  stream(
    client: ImageAnalysisClient,
    pictures: AsyncIterable<Pictures>,
    options: RequestOptions,
    signal: AbortSignal,
  ): AsyncIterable<Answer>;
  /** What the annotated copy of an answered picture shows. */
  readonly annotate?: (line: Line) => Annotation[];
}

/** All that a run has to know of each feature. A line has the members of a REST response. */
export const features: Readonly<Record<FeatureName, Feature>> = {
  faces: {
    stream(client, pictures, { company, minScore, landmarks }, signal) {
      const options = { company, minScore, landmarks, crop: false, details: true };
      const answers = client.streamDetectFaces(toRequests(pictures, options), { signal });
      return toAnswers(answers, (response) => ({ members: toFaces(response) }));
    },
    annotate: ({ result }) => (result as DrawnFace[]).map(annotateFace),
  },
  meters: {
    stream: (client, pictures, _, signal) =>
      toAnswers(client.streamReadMeters(toRequests(pictures, { details: true }), { signal }), (response) => ({
        members: toReading(response),
      })),
    annotate: (line) => annotateMeter(line as unknown as MeterAnswer),
  },
  redactions: {
    stream: (client, pictures, { company, minScore }, signal) =>
      toAnswers(client.streamRedactFaces(toRequests(pictures, { company, minScore }), { signal }), (response) => ({
        members: { faces: response.faceCount },
        redacted: response,
      })),
  },
  fused: {
    async *stream(client, pictures, _, signal) {
      for await (const { id, files, images } of pictures) {
        try {
          const { reading, bestPhoto, photos } = await client.fuseMeterReadings({ images, details: true }, { signal });
          const members = {
            ...(reading && toReading(reading)),
            best_photo: bestPhoto,
            photos: photos.map((photo, at) => ({ file: files[at], ...toPhoto(photo) })),
          };
          yield { id, members };
        } catch (error) {
          if (!(error instanceof RefusedError) || ofCall.has(error.code)) throw error;
          const { members } = toRefused(id, error);
          // Only what may pass is for the run: no option is wrong where there are none.
          yield { id, members, ...(error.retryAfterSeconds !== undefined && { refused: error }) };
        }
      }
    },
  },
};

/** Codes of a lost connection: another call may succeed. */
export const lost: ReadonlySet<string> = new Set(['UNAVAILABLE', 'CANCELLED', 'DEADLINE_EXCEEDED']);
/** Codes of what is not about the photos: with these keys, another call would get the same. */
const ofCall: ReadonlySet<string> = new Set([...lost, 'UNAUTHENTICATED', 'PERMISSION_DENIED']);

async function* toRequests<Options>(pictures: AsyncIterable<Pictures>, options: Options) {
  for await (const { id, images } of pictures) for (const image of images) yield { id, request: { ...options, image } };
}

type Result<Response> =
  | { readonly $case: 'response'; readonly value: Response }
  | { readonly $case: 'error'; readonly value: Parameters<typeof fromStatus>[0] };

async function* toAnswers<Response>(
  answers: AsyncIterable<{ id: string; result?: Result<Response> | undefined }>,
  show: (response: Response) => Omit<Answer, 'id'>,
): AsyncGenerator<Answer> {
  for await (const { id, result } of answers) {
    if (result?.$case === 'error') yield toRefused(id, fromStatus(result.value));
    else yield { id, ...(result === undefined ? { members: {} } : show(result.value)) };
  }
}

function toRefused(id: string, refused: RefusedError): Answer {
  const { code, reason = 'INTERNAL', message } = refused;
  return { id, refused, members: { error: { code, reason, message } } };
}

/** The members of a line for a successful picture, without crops. */
function toFaces({ faces, omittedFaces, details }: DetectAllFacesResponse) {
  return {
    result: faces.map(({ boundingBox, detectionScore, landmarks }) => ({
      bbox: boundingBox,
      // As REST shows it.
      detection_score: detectionScore.toFixed(6).replace(/0{1,2}$/, ''),
      ...(landmarks && {
        landmarks: {
          right_eye: landmarks.rightEye,
          left_eye: landmarks.leftEye,
          nose_tip: landmarks.noseTip,
          right_mouth_corner: landmarks.rightMouthCorner,
          left_mouth_corner: landmarks.leftMouthCorner,
        },
      }),
    })),
    ...(omittedFaces > 0 && { omitted_faces: omittedFaces }),
    model: details?.model,
  };
}

function toReading(reading: ReadMeterResponse) {
  return {
    meter_number: reading.meterNumber,
    value: reading.value,
    unit: reading.unit,
    confidence: reading.confidence,
    ...toJudgement(reading),
    bbox: reading.boundingBox,
    polygon: reading.polygon,
    digits: reading.digits.map(({ digit, confidence, boundingBox, polygon }) => ({
      digit,
      confidence,
      bbox: boundingBox,
      polygon,
    })),
    model: reading.details?.model,
  };
}

function toPhoto({ agrees, value, confidence, refusal, ...rest }: PhotoReading) {
  return refusal === undefined ? { agrees, value, confidence, ...toJudgement(rest) } : { agrees, refusal };
}

function toJudgement({ status, warnings }: Pick<PhotoReading, 'status' | 'warnings'>) {
  return {
    status: status?.replace('READING_STATUS_', '').toLowerCase(),
    warnings: warnings.map((warning) => warning.replace('READING_WARNING_', '')),
  };
}
