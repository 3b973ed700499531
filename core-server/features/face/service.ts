import type {
  DetectAllFacesRequest,
  DetectAllFacesResponse,
  DetectSingleFaceRequest,
  FaceDetectionServiceServer,
  Threshold,
} from '../../../generated/imageanalysis/v1/face_detection.js';
import type { ModelInfo } from '../../../generated/imageanalysis/v1/model.js';
import type { Refusal } from '../../../runtime/errors/refusal.js';
import type { Call } from '../../common/call.js';
import type { Handlers } from '../../common/handlers.js';
import { validateChoice, validateScore, validateShare } from '../../common/validate.js';
import { receivePicture } from '../../image/inspect/receive-picture.js';
import { imageFormats, type ImageLimits, redactionStyles } from '../../image/picture.js';
import { refuseImage } from '../../image/refuse-image.js';
import type { WorkerPool } from '../../inference/pool/worker-pool.js';
import type { FaceTasks } from './task.js';
import { validateCrop, validateMaxFaces } from './validate.js';

/** Room around a face that is hidden too: hair, ears and chin tell who it is, and boxes are a little off. */
const redactionMargin = 0.2;

/** The handlers of FaceDetectionService: validate, resolve the threshold, detect, answer. */
export function createFaceDetectionHandlers(deps: {
  readonly pool: Pick<WorkerPool<FaceTasks>, 'run'>;
  /** The threshold of a request: its own, else the company's, else the default. @throws Refusal UNKNOWN_COMPANY */
  readonly resolveThreshold: (
    wish: { minScore?: number | undefined; company: string },
    call: Pick<Call, 'keyId'>,
  ) => Promise<Threshold>;
  /** The highest threshold of a redaction whose request has none of its own. */
  readonly redactionScore: number;
  readonly limits: ImageLimits;
  readonly model: ModelInfo;
}): Handlers<FaceDetectionServiceServer, [call: Call]> {
  const { pool, resolveThreshold, redactionScore, limits, model } = deps;

  const detect = async (
    request: DetectSingleFaceRequest | DetectAllFacesRequest,
    maxFaces: number,
    call: Call,
  ): Promise<DetectAllFacesResponse & { threshold: Threshold }> => {
    const { company, landmarks, attributes = false } = request;
    const minScore = validateScore('min_score', request.minScore);
    const minQuality = validateShare('min_quality', request.minQuality);
    const crop = validateCrop(request);
    const image = receivePicture(request.image, limits);
    const threshold = await resolveThreshold({ minScore, company }, call);
    const { faces, omittedFaces, timings, width, height } = await pool.run(
      'detectFaces',
      { image, minScore: threshold.value, maxFaces, crop, landmarks, attributes, minQuality, limits },
      call,
    );
    call.log.debug({ faces: faces.length, width, height, timings }, 'faces detected');
    const details = request.details ? { image: { width, height }, threshold, model } : undefined;
    return { faces, omittedFaces, details, threshold };
  };

  return {
    async detectSingleFace(request, call) {
      const { faces, details, threshold } = await detect(request, 1, call);
      const [largest] = faces;
      if (largest === undefined) throw noFace(threshold, request.minQuality);
      return { face: largest, details };
    },

    async detectAllFaces(request, call) {
      const { faces, omittedFaces, details } = await detect(request, validateMaxFaces(request.maxFaces), call);
      return { faces, omittedFaces, details };
    },

    async redactFaces(request, call) {
      const minScore = validateScore('min_score', request.minScore);
      const style = validateChoice('style', request.style, redactionStyles) ?? 'blur';
      const margin = validateShare('margin', request.margin) ?? redactionMargin;
      const format = validateChoice('format', request.format, imageFormats);
      const image = receivePicture(request.image, limits);
      const threshold = await resolveThreshold({ minScore, company: request.company }, call);
      // A score that was raised for fewer false alarms must not show faces.
      const score = minScore ?? Math.min(threshold.value, redactionScore);
      const redacted = await pool.run('redactFaces', { image, minScore: score, style, margin, format, limits }, call);
      const { file, faceCount, timings, width, height } = redacted;
      call.log.debug({ faces: faceCount, width, height, timings }, 'faces redacted');
      return { image: file, contentType: `image/${redacted.format}`, faceCount };
    },
  };
}

function noFace({ value: limit }: Threshold, minQuality: number | undefined): Refusal {
  const quality = minQuality ? ` with a quality of ${minQuality} or higher` : '';
  const wish = `try a lower min_score${minQuality ? ' or min_quality' : ''}`;
  return refuseImage('NO_FACE', `has no face${quality} that scored ${limit} or higher, ${wish}`, { limit });
}
