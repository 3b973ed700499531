import { cropBoxes, type Box } from '../image/crop.js';
import { decodeRegion, decodeUpright } from '../image/decode.js';
import { readUprightSize } from '../image/header.js';
import type { ImageLimits } from '../image/limits.js';
import { scaledSize, wholeOf, type Region, type RgbPicture, type Size } from '../image/picture.js';
import { resizePicture } from '../image/resize.js';
import type { Model } from '../inference/sessions.js';
import { roundPixels } from '../precision.js';
import { createStopwatch } from '../stopwatch.js';
import { inferFaces, readCandidates } from './candidates.js';
import {
  addGlance,
  firstScale,
  mergeLooks,
  overviewScale,
  planSecondLook,
  type CascadeRule,
} from './cascade.js';
import {
  byAreaThenScore,
  clampBox,
  suppress,
  toPicture,
  type Candidate,
  type Point,
} from './geometry.js';

export interface DetectFacesInput {
  /** The picture file. */
  readonly image: Uint8Array;
  /** Faces below this score are left out, 0..1. */
  readonly minScore: number;
  /** At most so many faces, the largest. */
  readonly maxFaces: number;
  readonly crop: boolean;
  readonly landmarks: boolean;
  readonly limits: ImageLimits;
}

export interface DetectFacesOutput {
  /** Size of the upright picture, pixels. */
  readonly width: number;
  readonly height: number;
  /** Largest first. */
  readonly faces: readonly FaceResult[];
  /** Faces left out to keep to `maxFaces`. */
  readonly omittedFaces: number;
  readonly model: { readonly name: string; readonly version: string };
  /** Milliseconds by step. */
  readonly timings: Readonly<Record<string, number>>;
}

export interface FaceResult {
  /** Pixels of the upright picture, inside it. */
  readonly boundingBox: Box;
  /** 0..1. */
  readonly detectionScore: number;
  /** JPEG of exactly the box. */
  readonly cropJpeg?: Uint8Array;
  /** Five points; they may lie outside a picture that cuts the face off. */
  readonly landmarks?: readonly Point[];
}

/** The task as the pool knows it. */
export type FaceTasks = { detectFaces: { input: DetectFacesInput; output: DetectFacesOutput } };

/** Nobody wants what the network gives below this, and there is a cell of it everywhere. */
const lowestScore = 0.02;
/** Up to Full HD, decoding whole costs less than decoding twice. */
const mostPixelsDecodedOnce = 1920 * 1080;
/** Candidates that overlap a better one by this much are the same face. */
const sameFaceOverlap = 0.45;

/**
 * The worker's task: header, decode, two or three looks, boxes, crops. Throws CORRUPT_IMAGE and
 * IMAGE_TOO_MANY_PIXELS; when the signal is aborted it stops before the next step.
 */
export function createFaceDetector(deps: {
  model: Pick<Model, 'name' | 'version' | 'run'>;
  rule: CascadeRule;
  /** Milliseconds, monotonic. */
  now: () => number;
}): (input: DetectFacesInput, signal: AbortSignal) => Promise<DetectFacesOutput> {
  const { model, rule, now } = deps;

  return async (input, signal) => {
    const { image: bytes, limits, minScore } = input;
    const watch = createStopwatch(now);
    const step = <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
      signal.throwIfAborted();
      return watch.time(name, work);
    };

    const size = await step('header', () => readUprightSize(bytes, limits));
    const leastScore = Math.max(lowestScore, Math.min(minScore, rule.weakScore));
    // A small picture is decoded once for all looks and the crops; of a large one, each gets what
    // it needs: the overview a picture that was shrunk while it was decoded, the second look a part.
    const isSmall = size.width * size.height <= mostPixelsDecodedOnce;
    const whole = isSmall ? await step('decode', () => decodeUpright(bytes, size)) : undefined;
    const usual = overviewScale(size, rule);
    const overviewSize = scaledSize(size, usual);
    const overview = await step('decode', () =>
      whole ? resizePicture(whole, overviewSize) : decodeUpright(bytes, overviewSize),
    );

    const lookAt = async (picture: RgbPicture, region: Region): Promise<Candidate[]> => {
      const outputs = await step('infer', () => inferFaces(model, picture, leastScore));
      return watch.timeSync('suppress', () =>
        suppress(readCandidates(outputs), sameFaceOverlap).map((candidate) =>
          toPicture(candidate, picture, region),
        ),
      );
    };

    // Each from the next larger one: shrinking costs by what it reads.
    const portrait = await step('decode', () =>
      resizePicture(overview, scaledSize(size, usual * rule.portraitScale)),
    );
    const miniature = await step('decode', () =>
      resizePicture(portrait, scaledSize(size, usual * rule.glanceScale)),
    );
    const glance = await lookAt(miniature, wholeOf(size));
    const scale = firstScale(glance, size, rule);
    const first = await lookAt(scale < usual ? portrait : overview, wholeOf(size));
    let found = watch.timeSync('suppress', () =>
      addGlance(first, glance, size, rule, sameFaceOverlap),
    );
    const second = planSecondLook(found, size, rule, scale);
    if (second) {
      const { region, zoom } = second;
      const secondSize = scaledSize(region, zoom);
      const detail = await step('decode', () =>
        whole ? resizePicture(whole, secondSize, region) : decodeRegion(bytes, region, secondSize),
      );
      const more = await lookAt(detail, region);
      found = watch.timeSync('suppress', () =>
        mergeLooks(found, more, region, size, rule, sameFaceOverlap),
      );
    }

    const faces = visibleFaces(found, size, minScore);
    const kept = faces.slice(0, input.maxFaces);
    const boxes = kept.map((face) => face.box);
    const crops = input.crop
      ? await step('crop', () => cropBoxes({ bytes, size, whole }, boxes))
      : [];
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
