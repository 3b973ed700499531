import { fromStatus, type ImageAnalysisClient, type RefusedError } from '../../sdk/typescript/client.js';
import type { MeterAnswer } from '../../sdk/typescript/rest.js';
import type { Annotation } from '../annotate/annotate.js';
import { annotateFace, annotateMeter, type DrawnFace } from '../annotate/annotations.js';
import { type FeatureName, type Line, toFaces, toReading } from './answer.js';

/** What the requests of a run say besides the pictures: those for faces; meters need none of it. */
export interface RequestOptions {
  readonly company: string;
  readonly minScore: number | undefined;
  readonly landmarks: boolean;
}

/** A picture as it is sent. */
export interface SentPicture {
  readonly id: string;
  readonly image: Buffer;
}

/** The answer to the picture with this id. */
export interface Answer {
  readonly id: string;
  readonly refused?: RefusedError;
  /** Of its line, if it was not refused. */
  readonly members?: Partial<Line>;
}

interface Feature {
  /** Sends pictures through its bulk stream; the answers come in any order. */
  stream(
    client: ImageAnalysisClient,
    pictures: AsyncIterable<SentPicture>,
    options: RequestOptions,
    signal: AbortSignal,
  ): AsyncIterable<Answer>;
  /** What the annotated copy of an answered picture shows. */
  annotate(line: Line): Annotation[];
}

/** All that a run has to know of each feature. A line has the members of a REST response. */
export const features: Readonly<Record<FeatureName, Feature>> = {
  faces: {
    stream(client, pictures, { company, minScore, landmarks }, signal) {
      const options = { company, minScore, landmarks, crop: false, details: false };
      const answers = client.streamDetectFaces(toRequests(pictures, options), { signal });
      return toAnswers(answers, toFaces);
    },
    annotate: ({ result }) => (result as DrawnFace[]).map(annotateFace),
  },
  meters: {
    stream: (client, pictures, _, signal) =>
      toAnswers(client.streamReadMeters(toRequests(pictures, {}), { signal }), toReading),
    annotate: (line) => annotateMeter(line as unknown as MeterAnswer),
  },
};

export function isFeature(name: string): name is FeatureName {
  return Object.hasOwn(features, name);
}

async function* toRequests<Options>(pictures: AsyncIterable<SentPicture>, options: Options) {
  for await (const { id, image } of pictures) yield { id, request: { ...options, image } };
}

type Result<Response> =
  | { readonly $case: 'response'; readonly value: Response }
  | { readonly $case: 'error'; readonly value: Parameters<typeof fromStatus>[0] };

async function* toAnswers<Response>(
  answers: AsyncIterable<{ id: string; result?: Result<Response> | undefined }>,
  toMembers: (response: Response) => Partial<Line>,
): AsyncGenerator<Answer> {
  for await (const { id, result } of answers) {
    if (result?.$case === 'error') yield { id, refused: fromStatus(result.value) };
    else yield { id, ...(result && { members: toMembers(result.value) }) };
  }
}
