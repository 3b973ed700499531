import { roundPixels } from '../../common/precision.js';
import { createStopwatch } from '../../common/stopwatch.js';
import { cropBoxes } from '../../image/crop.js';
import { openPicture } from '../../image/decode/open-picture.js';
import type { Size } from '../../image/picture.js';
import type { Model } from '../../inference/models/sessions.js';
import type { CascadeRule } from './cascade.js';
import { findFaces, type Step } from './find-faces.js';
import { byAreaThenScore, type Candidate, clampBox } from './geometry.js';
import type { DetectFacesInput, DetectFacesOutput, FaceResult } from './task.js';

/** Results below this score are useless, and every cell has one. */
const minUsefulScore = 0.02;

/** The network cuts before scores are rounded: what rounds up to the threshold must pass. */
const scoreStep = 1e-6;

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
    const { image, limits, minScore } = input;
    const watch = createStopwatch(now);
    const step: Step = (name, work) => {
      signal.throwIfAborted();
      return watch.time(name, work);
    };

    const picture = await step('open', () => openPicture(image, limits));
    const { size } = picture;
    const candidateScore = Math.max(minUsefulScore, Math.min(minScore - scoreStep, rule.weakScore));
    const found = await findFaces(picture, candidateScore, { model, rule, step });

    const faces = visibleFaces(found, size, minScore);
    const kept = faces.slice(0, input.maxFaces);
    const boxes = kept.map((face) => face.box);
    const crops = input.crop ? await step('crop', () => cropBoxes(picture, boxes)) : [];
    return {
      ...size,
      faces: kept.map((face, i) => toResult(face, crops[i], input.landmarks)),
      omittedFaces: faces.length - kept.length,
      model: { name: model.name, version: model.version },
      timings: watch.timings,
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

function toResult(face: Candidate, crop: Uint8Array | undefined, landmarks: boolean): FaceResult {
  return {
    boundingBox: face.box,
    detectionScore: face.score,
    ...(crop && { cropJpeg: crop }),
    ...(landmarks && {
      landmarks: face.landmarks.map(({ x, y }) => ({ x: roundPixels(x), y: roundPixels(y) })),
    }),
  };
}
