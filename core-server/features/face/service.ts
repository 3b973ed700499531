import type {
  DetectAllFacesRequest,
  DetectAllFacesResponse,
  DetectionDetails,
  DetectSingleFaceRequest,
  DetectSingleFaceResponse,
  Threshold,
  ThresholdSource,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import { refuse } from '../../../runtime/errors/refusal.js';
import type { Call } from '../../common/call.js';
import { validateScore } from '../../common/score.js';
import { preparePicture } from '../../image/inspect/receive-picture.js';
import type { ImageLimits } from '../../image/picture.js';
import type { HandlerOptions, WorkerPool } from '../../inference/pool/worker-pool.js';
import type { DetectFacesOutput, FaceTasks } from './task.js';
import { toFace } from './to-face.js';
import { validateCrop, validateMaxFaces, validateShare } from './validate.js';

/** What the handlers need. */
export interface FaceDetectionDependencies {
  readonly pool: Pick<WorkerPool<FaceTasks>, 'run'>;
  /**
   * The threshold of a request: its own, else the company's, else the default.
   *
   * @throws Refusal UNKNOWN_COMPANY
   */
  readonly resolveThreshold: (wish: {
    minScore?: number;
    company: string;
  }) => Promise<{ value: number; source: ThresholdSource }>;
  readonly limits: ImageLimits;
}

export interface FaceDetectionHandlers {
  readonly detectSingleFace: (
    request: DetectSingleFaceRequest,
    call: Call,
    options?: HandlerOptions,
  ) => Promise<DetectSingleFaceResponse>;
  readonly detectAllFaces: (
    request: DetectAllFacesRequest,
    call: Call,
    options?: HandlerOptions,
  ) => Promise<DetectAllFacesResponse>;
}

/** The handlers of FaceDetectionService: validate, resolve the threshold, detect, answer. */
export function createFaceDetectionHandlers(deps: FaceDetectionDependencies): FaceDetectionHandlers {
  const { pool, resolveThreshold, limits } = deps;

  const detect = async (
    request: DetectSingleFaceRequest | DetectAllFacesRequest,
    maxFaces: number,
    call: Call,
    options: HandlerOptions,
  ): Promise<{ found: DetectFacesOutput; threshold: Threshold }> => {
    const { minScore, company, landmarks, attributes = false } = request;
    if (minScore !== undefined) validateScore('min_score', minScore);
    const minQuality = validateShare('min_quality', request.minQuality);
    const crop = validateCrop(request);
    const { image, transfer } = preparePicture(request.image, limits);
    const threshold = await resolveThreshold({
      company,
      ...(minScore === undefined ? {} : { minScore }),
    });
    const found = await pool.run(
      'detectFaces',
      {
        image,
        minScore: threshold.value,
        maxFaces,
        crop,
        landmarks,
        attributes,
        minQuality,
        limits,
      },
      { ...call, ...options, transfer },
    );
    const { faces, timings, width, height } = found;
    call.log.debug({ faces: faces.length, width, height, timings }, 'faces detected');
    return { found, threshold };
  };

  return {
    async detectSingleFace(request, call, options = {}) {
      const { found, threshold } = await detect(request, 1, call, options);
      const [largest] = found.faces;
      if (largest === undefined) {
        const quality = request.minQuality ? ` with a quality of ${request.minQuality} or higher` : '';
        throw refuse(
          'NO_FACE',
          `image has no face${quality} that scored ${threshold.value} or higher, try a lower min_score`,
          { details: { field: 'image', limit: String(threshold.value) } },
        );
      }
      return {
        face: toFace(largest),
        details: request.details ? toDetails(found, threshold) : undefined,
      };
    },

    async detectAllFaces(request, call, options = {}) {
      const maxFaces = validateMaxFaces(request.maxFaces);
      const { found, threshold } = await detect(request, maxFaces, call, options);
      return {
        faces: found.faces.map(toFace),
        omittedFaces: found.omittedFaces,
        details: request.details ? toDetails(found, threshold) : undefined,
      };
    },
  };
}

function toDetails(found: DetectFacesOutput, threshold: Threshold): DetectionDetails {
  const { width, height, model } = found;
  return { image: { width, height }, threshold, model };
}
