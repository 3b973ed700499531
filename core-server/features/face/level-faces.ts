import type { Stopwatch } from '../../common/stopwatch.js';
import { alignPixels } from '../../image/align.js';
import type { Box, DecodedPart, OpenPicture } from '../../image/picture.js';
import type { RunModel } from '../../inference/models/sessions.js';
import { poseOf } from './attributes.js';
import { type Candidate, intersectionOverUnion } from './geometry.js';
import { createSight, type Sight } from './sight.js';

/** An upright face with its surroundings, and where the detector puts its box there, in the mean. */
const square = { side: 160, margin: 3 / 14 };
const usualBox: Box = { xmin: 38, ymin: 34, xmax: 122, ymax: 145 };
/** Another face than the one in the middle overlaps this box less. */
const leastOverlap = 0.3;
/** Each look takes half of the lean away; */
const maxLooks = 3;
/** from here on, no more is to be gained, degrees. */
const levelRoll = 2;
/** The largest are looked at: a crowd may have hundreds. */
const maxFaces = 32;
/** From this score on, it is still the face. */
const leastScore = 0.1;

/**
 * The faces, largest first, with their points as the network sees them in a copy where the face is upright and of the
 * usual size. In the looks at the whole picture, it puts those of a leaning face half way to where they were if it stood
 * upright, and those of a small one all the way.
 *
 * @param near its decoded part holds the faces
 */
export async function levelFaces(
  { decoded }: OpenPicture,
  faces: readonly Candidate[],
  run: RunModel,
  step: Stopwatch['time'],
): Promise<Candidate[]> {
  const { see } = createSight(run, leastScore, step);
  const level: Candidate[] = [];
  for (const [i, face] of faces.entries()) {
    level.push(decoded && i < maxFaces ? await levelFace(decoded, face, see) : face);
  }
  return level;
}

async function levelFace(part: DecodedPart, face: Candidate, see: Sight['see']): Promise<Candidate> {
  let { landmarks } = face;
  for (let look = 0; look < maxLooks; look++) {
    const upright = alignPixels(part, landmarks, square);
    if (upright === undefined) break;
    const seen = (await see(upright.pixels)).find(({ box }) => intersectionOverUnion(box, usualBox) >= leastOverlap);
    if (seen === undefined) break;
    landmarks = seen.landmarks.map(upright.toPicture);
    if (Math.abs(poseOf(seen.landmarks).roll) < levelRoll) break;
  }
  return { ...face, landmarks };
}
