import type { FaceAttributes } from '../../../generated/imageanalysis/v1/face_detection.js';
import { roundPixels } from '../../common/precision.js';
import { createStopwatch, eachInTurn } from '../../common/stopwatch.js';
import { cropFaces, decodeAround } from '../../image/crop.js';
import { openPicture } from '../../image/decode/open-picture.js';
import { type DecodedPart, pixelsIn, type Point, type Size } from '../../image/picture.js';
import { resizePicture } from '../../image/resize/resize-picture.js';
import { openModel } from '../../inference/models/sessions.js';
import { measuredSize, measureFace } from './attributes.js';
import type { FaceModel } from './face-model.js';
import { type FaceDetectorParts, findVisibleFaces } from './find-faces.js';
import { type Candidate, withoutParts } from './geometry.js';
import { levelFaces } from './level-faces.js';
import { createFaceRedactor } from './redactor.js';
import type { DetectFacesInput, DetectFacesOutput, FoundFace } from './task.js';

/** The tasks with their network, which is opened twice: where a core is spare, a second thread helps. */
export async function openFaceDetector({ entry, rule }: FaceModel, folder: URL) {
  const model = await openModel(entry, folder);
  const helped = await openModel(entry, folder, { threads: 2 });
  const createTasks = (parts: FaceDetectorParts) => ({
    detectFaces: createFaceDetector(parts),
    redactFaces: createFaceRedactor(parts),
  });
  return {
    usual: createTasks({ run: model.run, rule }),
    /** For a worker beside which a core is spare. */
    withHelp: createTasks({ run: helped.run, rule }),
    async release() {
      await Promise.all([model.release(), helped.release()]);
    },
  };
}

/**
 * The worker's task: open, looks, boxes, crops. When the signal is aborted, it stops before the next step.
 *
 * @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone
 */
export function createFaceDetector(parts: FaceDetectorParts) {
  return async (input: DetectFacesInput, signal: AbortSignal): Promise<DetectFacesOutput> => {
    const { image, limits, minScore, minQuality, crop } = input;
    const { time: step, timings } = createStopwatch(signal);
    const picture = await step('open', () => openPicture(image, limits));
    const { size } = picture;
    const visible = await findVisibleFaces(picture, minScore, parts, step);
    let faces: MeasuredFace[] = withoutParts(visible, parts.rule.sureScore);
    let near = picture;
    const isMeasured = input.attributes || minQuality !== undefined;
    const lookCloser = async (some: readonly Candidate[]): Promise<MeasuredFace[]> => {
      if (some.length === 0) return [];
      const around = await step('decode', () => decodeAround(picture, some));
      const level = await levelFaces(around.decoded, some, parts, step);
      near = around;
      return isMeasured ? eachInTurn(level, 'measure', step, (face) => measured(face, around.decoded, size)) : level;
    };
    if (minQuality !== undefined) {
      faces = (await lookCloser(faces)).filter(({ attributes }) => attributes && attributes.quality >= minQuality);
    }
    let kept = faces.slice(0, input.maxFaces);
    const isLookedAt = isMeasured || input.landmarks || crop?.isAligned;
    if (isLookedAt && minQuality === undefined) kept = await lookCloser(kept);
    const crops = crop ? await cropFaces(near, kept, crop, step) : [];
    return {
      ...size,
      faces: kept.map((face, i) => toMessage(face, crops[i], input)),
      omittedFaces: faces.length - kept.length,
      timings,
    };
  };
}

/** A face, with its attributes where they are wanted. */
interface MeasuredFace extends Candidate {
  readonly attributes?: FaceAttributes;
}

/** @param part holds the face @param size of the whole picture */
function measured(face: Candidate, part: DecodedPart, size: Size): MeasuredFace {
  const pixels = resizePicture(part.picture, measuredSize, pixelsIn(part, face.box));
  return { ...face, attributes: measureFace(face, size, pixels) };
}

/** The order of the points, which may lie outside the picture, is that of the model contract. */
function toMessage(
  { box, score, landmarks, attributes }: MeasuredFace,
  crop: Uint8Array = new Uint8Array(),
  wish: Pick<DetectFacesInput, 'landmarks' | 'attributes'>,
): FoundFace {
  const rounded = ({ x, y }: Point): Point => ({ x: roundPixels(x), y: roundPixels(y) });
  const [rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner] = landmarks.map(rounded);
  return {
    boundingBox: box,
    detectionScore: score,
    cropJpeg: crop,
    landmarks: wish.landmarks ? { rightEye, leftEye, noseTip, rightMouthCorner, leftMouthCorner } : undefined,
    attributes: wish.attributes ? attributes : undefined,
  };
}
