import { roundScore } from '../../common/precision.js';
import type { Stopwatch } from '../../common/stopwatch.js';
import { mirrorPicture, turnPicture } from '../../image/decode/decode.js';
import type { QuarterTurns, RgbPicture } from '../../image/picture.js';
import { copyRegion, padToMultiple } from '../../image/resize/copy-region.js';
import type { Model, TensorData } from '../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../inference/models/tensors.js';
import { type Candidate, isCentredIn, mirrorBack, suppress, toPicture } from './geometry.js';
import { tilesOf } from './tiles.js';

/** Largest stride of the networks; both sides must be multiples of it. */
const inputMultiple = 32;
/** More than the faces in any picture; limits the time for suppression. */
const maxCandidates = 3000;

/** What the network sees of a picture, from a score on. */
export type Sight = ReturnType<typeof createSight>;

export function createSight(model: Pick<Model, 'run'>, minScore: number, step: Stopwatch['time']) {
  /** The faces in pixels, where they are in these, each once. */
  const see = async (pixels: RgbPicture): Promise<Candidate[]> => {
    const seen: Candidate[] = [];
    for (const { core, region } of tilesOf(pixels)) {
      const outputs = await step('infer', () => inferFaces(model, copyRegion(pixels, region), minScore));
      const inTile = readCandidates(outputs).map((candidate) => toPicture(candidate, region, region));
      seen.push(...inTile.filter((candidate) => isCentredIn(candidate, core)));
    }
    return step('suppress', () => suppress(seen));
  };
  return {
    see,
    /** The same by their mirror image. */
    seeMirrored: async (pixels: RgbPicture): Promise<Candidate[]> => {
      const mirror = await step('decode', () => mirrorPicture(pixels));
      return (await see(mirror)).map((candidate) => mirrorBack(candidate, mirror));
    },
    turn: async (pixels: RgbPicture, turns: QuarterTurns | 0): Promise<RgbPicture> =>
      turns ? step('decode', () => turnPicture(pixels, turns)) : pixels,
  };
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
