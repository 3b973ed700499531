import type { FaceAttributes } from '../../../generated/imageanalysis/v1/face_detection.js';
import { roundPixels } from '../../common/precision.js';
import { createStopwatch } from '../../common/stopwatch.js';
import { cropFaces, sampleBoxes } from '../../image/crop.js';
import { openPicture } from '../../image/decode/open-picture.js';
import type { OpenPicture, Size } from '../../image/picture.js';
import { type Model, openModel } from '../../inference/models/sessions.js';
import { measuredSize, measureFace } from './attributes.js';
import type { CascadeRule, FaceModel } from './face-model.js';
import { findFaces } from './find-faces.js';
import { byAreaThenScore, type Candidate, clampBox } from './geometry.js';
import type { DetectFacesInput, DetectFacesOutput, FaceResult } from './task.js';

/** Results below this score are useless, and every cell has one. */
const minUsefulScore = 0.02;

/** The network cuts before scores are rounded: what rounds up to the threshold must pass. */
const scoreStep = 1e-6;

/**
 * The task `detectFaces` with its network, which is opened twice: where a core is spare, a second thread helps.
 *
 * @param folder the model lies below it; the manifest's address does as well
 * @param now clock that times the steps, milliseconds
 * @throws Error if a file is missing or wrong
 */
export async function openFaceDetector({ entry, rule }: FaceModel, folder: URL, now: () => number) {
  const model = await openModel(entry, folder);
  const helped = await openModel(entry, folder, { threads: 2 });
  const overviewPixels = rule.overviewSide ** 2;
  const usual = createFaceDetector({ model, rule, now });
  const withHelp = createFaceDetector({ model: forSmall(helped, overviewPixels, model), rule, now });
  return {
    /** @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS; `signal.reason` once the caller is gone */
    detectFaces: (input: DetectFacesInput, signal: AbortSignal, hasSpareCore: boolean) =>
      (hasSpareCore ? withHelp : usual)(input, signal),
    /** Frees the network's memory. */
    async release() {
      await Promise.all([model.release(), helped.release()]);
    },
  };
}

/** One model for pictures of at most so many pixels: for larger ones, it would keep twice the memory. */
function forSmall(model: Model, maxPixels: number, larger: Model): Pick<Model, 'name' | 'version' | 'run'> {
  return {
    ...model,
    run(feeds) {
      const [, height = 0, width = 0] = feeds['image']?.dims ?? [];
      return (width * height <= maxPixels ? model : larger).run(feeds);
    },
  };
}

/**
 * The worker's task: open, looks, boxes, crops. When the signal is aborted, it stops before the next step.
 *
 * @throws Refusal CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS
 */
export function createFaceDetector(deps: {
  model: Pick<Model, 'name' | 'version' | 'run'>;
  rule: CascadeRule;
  /** Milliseconds, monotonic. */
  now: () => number;
}): (input: DetectFacesInput, signal: AbortSignal) => Promise<DetectFacesOutput> {
  const { model, rule, now } = deps;

  return async (input, signal) => {
    const { image, limits, minScore, minQuality, crop } = input;
    const { time: step, timings } = createStopwatch(now, signal);
    const picture = await step('open', () => openPicture(image, limits));
    const { size } = picture;
    const candidateScore = Math.max(minUsefulScore, Math.min(minScore - scoreStep, rule.weakScore));
    const found = await findFaces(picture, candidateScore, { model, rule, step });

    let faces: MeasuredFace[] = visibleFaces(found, size, minScore);
    if (minQuality !== undefined) {
      const measured = await step('measure', () => measureFaces(picture, faces));
      faces = measured.filter(({ attributes }) => attributes.quality >= minQuality);
    }
    let kept = faces.slice(0, input.maxFaces);
    if (input.attributes && minQuality === undefined) kept = await step('measure', () => measureFaces(picture, kept));
    const crops = crop ? await step('crop', () => cropFaces(picture, kept, crop)) : [];
    return {
      ...size,
      faces: kept.map((face, i) => toResult(face, crops[i], input)),
      omittedFaces: faces.length - kept.length,
      model: { name: model.name, version: model.version },
      timings,
    };
  };
}

/** The faces at or above the score with their boxes inside the picture, largest first. */
function visibleFaces(found: readonly Candidate[], size: Size, minScore: number): Candidate[] {
  const faces: Candidate[] = [];
  for (const face of found) {
    const box = clampBox(face.box, size);
    if (face.score >= minScore && box !== undefined) faces.push({ ...face, box });
  }
  return faces.sort(byAreaThenScore);
}

/** A face, with its attributes where they are wanted. */
interface MeasuredFace extends Candidate {
  readonly attributes?: FaceAttributes;
}

async function measureFaces<Face extends Candidate>(
  picture: OpenPicture,
  faces: readonly Face[],
): Promise<(Face & { attributes: FaceAttributes })[]> {
  const boxes = faces.map(({ box }) => box);
  const samples = await sampleBoxes(picture, boxes, measuredSize);
  return samples.map((sample, i) => {
    const face = faces[i] as Face;
    return { ...face, attributes: measureFace(face, picture.size, sample) };
  });
}

function toResult(
  face: MeasuredFace,
  crop: Uint8Array | undefined,
  wish: Pick<DetectFacesInput, 'landmarks' | 'attributes'>,
): FaceResult {
  return {
    boundingBox: face.box,
    detectionScore: face.score,
    ...(crop && { crop }),
    ...(wish.landmarks && {
      landmarks: face.landmarks.map(({ x, y }) => ({ x: roundPixels(x), y: roundPixels(y) })),
    }),
    ...(wish.attributes && face.attributes && { attributes: face.attributes }),
  };
}
