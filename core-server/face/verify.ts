import type { Region, RgbPicture } from '../image/picture.js';
import { cropSquare, type Square } from '../image/square-crop.js';
import type { Model } from '../inference/sessions.js';
import { floatsOf, millionths } from './candidates.js';
import { area, fromPicture, isInside, type Candidate } from './geometry.js';

/** Which faces are worth a look of their own; `models/face/detector.py` has the same rule. */
export interface VerifierRule {
  /** The detector is trusted from this score on. */
  readonly sureScore: number;
  /** Side (square root of the area) from which on there is something to see, pixels of the look. */
  readonly leastSide: number;
}

/** Decoded pixels and the part of the picture that they show. */
export interface Look {
  readonly pixels: RgbPicture;
  readonly region: Region;
}

/** The looks at a picture: the whole first, then sharper ones of parts. */
export type Looks = readonly [Look, ...Look[]];

/** Scores doubtful faces anew, each seen in the sharpest look that shows all of it. */
export type FaceVerifier = (faces: readonly Candidate[], looks: Looks) => Promise<Candidate[]>;

/** Pixels of a crop, and its side over that of the face: what the network was trained on. */
const cropSide = 64;
const context = 1.8;
const bytesOfCrop = cropSide * cropSide * 3;
/** Crops of one run; bounds the memory that a crowd takes. */
const mostAtOnce = 64;

/**
 * A network that looks at single faces and weighs what it sees with the detector's score. The model
 * takes `crops` uint8 [N,64,64,3], the squares around the faces, and `scores` float32 [N]; it gives
 * `verified` float32 [N].
 */
export function createFaceVerifier(model: Pick<Model, 'run'>, rule: VerifierRule): FaceVerifier {
  return async (faces, looks) => {
    const scores = new Map<Candidate, number>();
    for (const look of looks) {
      const doubtful = faces.filter(
        (face) => sharpestOf(looks, face.box) === look && isDoubtful(face, look, rule),
      );
      for (let start = 0; start < doubtful.length; start += mostAtOnce) {
        const some = doubtful.slice(start, start + mostAtOnce);
        const verified = await score(model, some, look);
        for (const [i, face] of some.entries()) scores.set(face, millionths(verified[i] ?? 0));
      }
    }
    return faces.map((face) => ({ ...face, score: scores.get(face) ?? face.score }));
  };
}

function sharpestOf(looks: Looks, box: Candidate['box']): Look {
  return looks.findLast(({ region }) => isInside(box, region)) ?? looks[0];
}

function isDoubtful(face: Candidate, { pixels, region }: Look, rule: VerifierRule): boolean {
  const side = Math.sqrt(area(fromPicture(face.box, pixels, region)));
  return face.score < rule.sureScore && side >= rule.leastSide;
}

async function score(
  model: Pick<Model, 'run'>,
  faces: readonly Candidate[],
  { pixels, region }: Look,
): Promise<Float32Array> {
  const crops = new Uint8Array(faces.length * bytesOfCrop);
  for (const [i, { box }] of faces.entries()) {
    const crop = crops.subarray(i * bytesOfCrop, (i + 1) * bytesOfCrop);
    cropSquare(pixels, squareAround(fromPicture(box, pixels, region)), cropSide, crop);
  }
  const outputs = await model.run({
    crops: { type: 'uint8', data: crops, dims: [faces.length, cropSide, cropSide, 3] },
    scores: {
      type: 'float32',
      data: Float32Array.from(faces, (face) => face.score),
      dims: [faces.length],
    },
  });
  return floatsOf(outputs, 'verified');
}

function squareAround(box: Candidate['box']): Square {
  return {
    x: (box.xmin + box.xmax) / 2,
    y: (box.ymin + box.ymax) / 2,
    side: context * Math.sqrt(Math.max(area(box), 1)),
  };
}
