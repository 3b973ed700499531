import { roundScore } from '../../common/precision.js';
import type { Stopwatch } from '../../common/stopwatch.js';
import { decodeRegion, decodeUpright, mirrorPicture, turnPicture } from '../../image/decode/decode.js';
import {
  type OpenPicture,
  type QuarterTurns,
  type Region,
  type RgbPicture,
  scaledSize,
  wholeOf,
} from '../../image/picture.js';
import { copyRegion, padToMultiple } from '../../image/resize/copy-region.js';
import { resizePicture } from '../../image/resize/resize-picture.js';
import type { Model, TensorData } from '../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../inference/models/tensors.js';
import { closeUpOf, createCascade, sameFaceOverlap } from './cascade.js';
import type { CascadeRule } from './face-model.js';
import {
  byAreaThenScore,
  type Candidate,
  clampBox,
  isCentredIn,
  mirrorBack,
  suppress,
  toPicture,
  turnBack,
  turnsOf,
} from './geometry.js';
import { tilesOf } from './tiles.js';

/** Largest stride of the networks; both sides must be multiples of it. */
const inputMultiple = 32;
/** More than the faces in any picture; limits the time for suppression. */
const maxCandidates = 3000;

export interface FaceDetectorParts {
  readonly model: Pick<Model, 'name' | 'version' | 'run'>;
  readonly rule: CascadeRule;
}

/** The largest doubtful faces are looked at by themselves: a crowd may have hundreds. */
const maxCloseUps = 16;

/** Results below this score are useless, and every cell has one. */
const minUsefulScore = 0.02;

/** The network cuts before scores are rounded: what rounds up to the threshold must pass. */
const scoreStep = 1e-6;

/**
 * The faces at or above the score with their boxes inside the picture, largest first.
 *
 * @param mayGlance whether a glance at a large face is enough, which may see none of the small ones behind it
 */
export async function findVisibleFaces(
  picture: OpenPicture,
  minScore: number,
  parts: FaceDetectorParts,
  step: Stopwatch['time'],
  mayGlance = true,
): Promise<Candidate[]> {
  const candidateScore = Math.max(minUsefulScore, Math.min(minScore - scoreStep, parts.rule.weakScore));
  const faces: Candidate[] = [];
  for (const face of await findFaces(picture, candidateScore, parts, step, mayGlance)) {
    const box = clampBox(face.box, picture.size);
    if (face.score >= minScore && box !== undefined) faces.push({ ...face, box });
  }
  return faces.sort(byAreaThenScore);
}

/** All looks of the cascade: what may be a face, from `minScore` on, in the picture's pixels. */
async function findFaces(
  picture: OpenPicture,
  minScore: number,
  { model, rule }: FaceDetectorParts,
  step: Stopwatch['time'],
  mayGlance: boolean,
): Promise<Candidate[]> {
  const { size, whole } = picture;
  const cascade = createCascade(rule, size);
  const see = async (pixels: RgbPicture): Promise<Candidate[]> => {
    const seen: Candidate[] = [];
    for (const { core, region } of tilesOf(pixels)) {
      const outputs = await step('infer', () => inferFaces(model, copyRegion(pixels, region), minScore));
      const inTile = readCandidates(outputs).map((candidate) => toPicture(candidate, region, region));
      seen.push(...inTile.filter((candidate) => isCentredIn(candidate, core)));
    }
    return step('suppress', () => suppress(seen, sameFaceOverlap));
  };
  const lookAt = async (pixels: RgbPicture, region: Region = wholeOf(size)) =>
    (await see(pixels)).map((candidate) => toPicture(candidate, pixels, region));

  const { overviewScale } = cascade;
  const overviewSize = scaledSize(size, overviewScale);
  const overview = await step('decode', () =>
    whole ? resizePicture(whole, overviewSize) : decodeUpright(picture, overviewSize),
  );
  const glanceScale = overviewScale * rule.glanceScale;
  const miniature = await step('decode', () => resizePicture(overview, scaledSize(size, glanceScale)));

  let found = await lookAt(miniature);
  let firstScale = glanceScale;
  if (!mayGlance || !cascade.suffices(found)) {
    found = cascade.addGlance(await lookAt(overview), found);
    firstScale = overviewScale;
  }

  if (cascade.mayBeTurned(found)) {
    const lookTurned = async (pixels: RgbPicture, turns: QuarterTurns) =>
      (await see(await step('decode', () => turnPicture(pixels, turns))))
        .map((candidate) => turnBack(candidate, turns, pixels))
        .map((candidate) => toPicture(candidate, pixels, wholeOf(size)));
    const glances = new Map<QuarterTurns, Candidate[]>();
    for (const turns of [1, 2, 3] as const) glances.set(turns, await lookTurned(miniature, turns));
    const quarter = cascade.quarterOf(found, glances);
    for (const glance of glances.values()) found = cascade.addTurned(found, glance, rule.turnedScore);
    if (quarter !== undefined) {
      found = cascade.addTurned(found, await lookTurned(overview, quarter), rule.sureScore);
    }
  }

  const second = cascade.planSecondLook(found, firstScale);
  if (second !== undefined) {
    const { region, zoom } = second;
    const secondSize = scaledSize(region, zoom);
    const detail = await step('decode', () =>
      whole ? resizePicture(whole, secondSize, region) : decodeRegion(picture, region, secondSize),
    );
    let detailed = await lookAt(detail, region);
    if (rule.mirrorScale > 0) {
      const mirrorSize = scaledSize(secondSize, rule.mirrorScale);
      const mirror = await step('decode', () => mirrorPicture(resizePicture(detail, mirrorSize)));
      const mirrored = (await see(mirror)).map((face) => toPicture(mirrorBack(face, mirror), mirror, region));
      detailed = cascade.withMirror(detailed, mirrored);
    }
    found = cascade.mergeLooks(found, detailed, region);
  }

  const lookCloser = async (face: Candidate): Promise<Candidate> => {
    const { region, zoom } = closeUpOf(toPicture(face, size, wholeOf(overview)), overview);
    const closeUp = await step('decode', () => resizePicture(overview, scaledSize(region, zoom), region));
    const turns = turnsOf(face);
    const upright = turns ? await step('decode', () => turnPicture(closeUp, turns)) : closeUp;
    const mirror = await step('decode', () => mirrorPicture(upright));
    const seen = [...(await see(upright)), ...(await see(mirror)).map((other) => mirrorBack(other, mirror))];
    const inOverview = seen
      .map((other) => (turns ? turnBack(other, turns, closeUp) : other))
      .map((other) => toPicture(other, closeUp, region));
    return cascade.withCloseUp(
      face,
      inOverview.map((other) => toPicture(other, overview, wholeOf(size))),
    );
  };
  const doubtful = new Set(
    found
      .filter((face) => cascade.isDoubtful(face))
      .sort(byAreaThenScore)
      .slice(0, maxCloseUps),
  );
  const judged: Candidate[] = [];
  for (const face of found) judged.push(doubtful.has(face) ? await lookCloser(face) : face);
  return judged;
}

/** Runs the network on a picture. The outputs are those of the contract, in pixels of the picture. */
export function inferFaces(
  model: Pick<Model, 'run'>,
  picture: RgbPicture,
  minScore: number,
): Promise<Record<string, TensorData>> {
  return model.run({
    image: pictureTensor(padToMultiple(picture, inputMultiple)),
    min_score: { type: 'float32', data: Float32Array.of(minScore), dims: [1] },
  });
}

/** The outputs of the contract (boxes [N,4], scores [N], landmarks [N,5,2]) as objects, best first. */
export function readCandidates(outputs: Readonly<Record<string, TensorData>>): Candidate[] {
  const boxes = floatsOf(outputs, 'boxes').data;
  const scores = floatsOf(outputs, 'scores').data;
  const points = floatsOf(outputs, 'landmarks').data;
  const best = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0)).slice(0, maxCandidates);
  return best.map((i) => {
    const [xmin = 0, ymin = 0, xmax = 0, ymax = 0] = boxes.subarray(i * 4, i * 4 + 4);
    const five = points.subarray(i * 10, i * 10 + 10);
    return {
      box: { xmin, ymin, xmax, ymax },
      score: roundScore(scores[i] ?? 0),
      landmarks: [0, 2, 4, 6, 8].map((at) => ({ x: five[at] ?? 0, y: five[at + 1] ?? 0 })),
    };
  });
}
