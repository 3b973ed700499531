import type { Stopwatch } from '../../common/stopwatch.js';
import { alignPixels, middleOf } from '../../image/align.js';
import type { Box, DecodedPart, Point } from '../../image/picture.js';
import { poseOf } from './attributes.js';
import type { FaceDetectorParts } from './find-faces.js';
import { area, type Candidate, intersectionOverUnion } from './geometry.js';
import { createSight } from './sight.js';

/** An upright face with its surroundings, and where the detector puts its box there, in the mean. */
const square = { side: 160, margin: 3 / 14 };
const usualBox: Box = { xmin: 38, ymin: 34, xmax: 122, ymax: 145 };
/** Less than this of that box, and it is another face, */
const leastOverlap = 0.3;
/** as it is if the middle of its points is so far from where it was, in sides of the face. */
const mostShift = 0.25;
/** Each look takes half of the lean away; */
const maxLooks = 3;
/** from here on, no more is to be gained, degrees. */
const levelRoll = 2;
/** The largest are looked at, a crowd may have hundreds, */
const maxFaces = 64;
/** but none that shows too little, pixels. */
const leastSide = 24;
/** From this score on, it is still the face. */
const leastScore = 0.1;

/**
 * The faces, largest first, with their points as the network sees them in a copy where the face is upright and of the
 * usual size. In the looks at the whole picture, it puts those of a leaning face half way to where they were if it stood
 * upright, and those of a small one all the way.
 *
 * @param part holds the faces
 */
export async function levelFaces(
  part: DecodedPart,
  faces: readonly Candidate[],
  { run, rule }: FaceDetectorParts,
  step: Stopwatch['time'],
): Promise<Candidate[]> {
  const see = createSight(run, leastScore, step);

  /** Its points if the given ones stand level; undefined where it is not seen. */
  const look = async (face: Candidate, landmarks: readonly Point[]) => {
    const upright = await step('decode', () => alignPixels(part, landmarks, square));
    if (upright === undefined) return undefined;
    let best: { landmarks: Point[]; score: number; roll: number } | undefined;
    let overlap = leastOverlap;
    for (const { box, score, landmarks: points } of await see(upright.pixels)) {
      const seen = { landmarks: points.map(upright.toPicture), score, roll: Math.abs(poseOf(points).roll) };
      const shared = intersectionOverUnion(box, usualBox);
      if (shared >= overlap && isThere(seen.landmarks, face)) [best, overlap] = [seen, shared];
    }
    return best;
  };

  /** Looks, each turned by those before, and the score of the last one; 0 if it is not seen. */
  const level = async (face: Candidate, landmarks: readonly Point[]) => {
    let best = { landmarks, score: 0, roll: Infinity };
    for (let looks = 0; looks < maxLooks && best.roll >= levelRoll; looks++) {
      const seen = await look(face, best.landmarks);
      if (seen === undefined) break;
      best = seen;
    }
    return best;
  };

  const levelled: Candidate[] = [];
  for (const face of faces) {
    const isLookedAt = levelled.length < maxFaces && area(face.box) >= leastSide ** 2;
    let best = isLookedAt ? await level(face, face.landmarks) : undefined;
    // Upside down or on its side, a face resembles one too, but no other way is as sure then.
    for (const turns of [2, 1, 3]) {
      if (best === undefined || best.score >= rule.uprightScore) break;
      const other = await level(face, turned(face.landmarks, turns));
      if (other.score >= rule.uprightScore) best = other;
    }
    levelled.push({ ...face, landmarks: best?.landmarks ?? face.landmarks });
  }
  return levelled;
}

function isThere(points: readonly Point[], { box, landmarks }: Candidate): boolean {
  const [now, before] = [middleOf(points), middleOf(landmarks)];
  return Math.hypot(now.x - before.x, now.y - before.y) <= mostShift * Math.sqrt(area(box));
}

/** Turned about their middle by quarters. */
function turned(points: readonly Point[], turns: number): Point[] {
  const { x, y } = middleOf(points);
  let turned = [...points];
  for (let i = 0; i < turns; i++) turned = turned.map((point) => ({ x: x + y - point.y, y: y + point.x - x }));
  return turned;
}
