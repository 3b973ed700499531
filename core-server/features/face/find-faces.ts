import type { Stopwatch } from '../../common/stopwatch.js';
import { decodeRegion, decodeUpright } from '../../image/decode/decode.js';
import {
  type OpenPicture,
  type QuarterTurns,
  type Region,
  type RgbPicture,
  scaledSize,
  type Size,
  wholeOf,
} from '../../image/picture.js';
import { resizePicture } from '../../image/resize/resize-picture.js';
import type { RunModel } from '../../inference/models/sessions.js';
import { type CloserLook, closeUpOf, createCascade } from './cascade.js';
import type { CascadeRule } from './face-model.js';
import { byAreaThenScore, type Candidate, clampBox, toPicture, turnsOf } from './geometry.js';
import { createSight, type Showing } from './sight.js';

export interface FaceDetectorParts {
  readonly run: RunModel;
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
  { run, rule }: FaceDetectorParts,
  step: Stopwatch['time'],
  mayGlance = true,
): Promise<Candidate[]> {
  const candidateScore = Math.max(minUsefulScore, Math.min(minScore - scoreStep, rule.weakScore));
  const cascade = createCascade(rule, picture.size);
  const search = { picture, rule, cascade, step, see: createSight(run, candidateScore, step) };
  const faces: Candidate[] = [];
  for (const face of await findFaces(search, mayGlance)) {
    const box = clampBox(face.box, picture.size);
    if (face.score >= minScore && box !== undefined) faces.push({ ...face, box });
  }
  return faces.sort(byAreaThenScore);
}

/** What the looks at a picture have in common. What they find is in its pixels. */
interface Search {
  readonly picture: OpenPicture;
  readonly rule: CascadeRule;
  readonly cascade: ReturnType<typeof createCascade>;
  readonly see: ReturnType<typeof createSight>;
  readonly step: Stopwatch['time'];
}

/** All looks of the cascade: what may be a face. */
async function findFaces(search: Search, mayGlance: boolean): Promise<Candidate[]> {
  const { cascade, picture, step } = search;
  const { overviewScale, glanceScale } = cascade;
  const overview = await copyOf(search, scaledSize(picture.size, overviewScale));
  const miniature = await step('decode', () => resizePicture(overview, scaledSize(picture.size, glanceScale)));

  const glance = await lookAt(search, miniature);
  const isEnough = mayGlance && cascade.suffices(glance);
  const first = isEnough ? glance : cascade.addGlance(await lookAt(search, overview), glance);
  const all = cascade.mayBeTurned(first) ? await lookAtTurned(search, first, miniature, overview) : first;
  const second = cascade.planSecondLook(all, isEnough ? glanceScale : overviewScale);
  const found = second ? await lookAgain(search, all, second) : all;
  return lookAtDoubtful(search, found, overview);
}

/** The picture, or a part of it, at that size. */
function copyOf({ picture, step }: Search, size: Size, region?: Region): Promise<RgbPicture> {
  const { decoded } = picture;
  return step('decode', () => {
    if (decoded) return resizePicture(decoded.picture, size, region);
    return region ? decodeRegion(picture, region, size) : decodeUpright(picture, size);
  });
}

/** @param region what the pixels are a copy of */
async function lookAt(
  { see, picture: { size } }: Search,
  pixels: RgbPicture,
  { region = wholeOf(size), ...showing }: Showing & { readonly region?: Region } = {},
): Promise<Candidate[]> {
  return toPicture(await see(pixels, showing), pixels, region);
}

/** Glances at the picture turned by quarters; where one is surer of a face than all before, a look. */
async function lookAtTurned(
  search: Search,
  upright: readonly Candidate[],
  miniature: RgbPicture,
  overview: RgbPicture,
): Promise<Candidate[]> {
  const { cascade, rule } = search;
  const glances = new Map<QuarterTurns, Candidate[]>();
  for (const turns of [1, 2, 3] as const) glances.set(turns, await lookAt(search, miniature, { turns }));
  let found = [...upright];
  for (const glance of glances.values()) found = cascade.addTurned(found, glance, rule.turnedScore);
  const turns = cascade.quarterOf(upright, glances);
  return turns ? cascade.addTurned(found, await lookAt(search, overview, { turns }), rule.sureScore) : found;
}

/** The second look, and one at its mirror image. */
async function lookAgain(
  search: Search,
  first: readonly Candidate[],
  { region, zoom }: CloserLook,
): Promise<Candidate[]> {
  const { cascade, rule, step } = search;
  const size = scaledSize(region, zoom);
  const detail = await copyOf(search, size, region);
  const second = await lookAt(search, detail, { region });
  if (rule.mirrorScale === 0) return cascade.mergeLooks(first, second, region);
  const smaller = await step('decode', () => resizePicture(detail, scaledSize(size, rule.mirrorScale)));
  const mirrored = await lookAt(search, smaller, { region, isMirrored: true });
  return cascade.mergeLooks(first, cascade.withMirror(second, mirrored), region);
}

/** Looks at each of the largest doubtful faces by itself, upright, and at its mirror image. */
async function lookAtDoubtful(search: Search, found: readonly Candidate[], overview: RgbPicture): Promise<Candidate[]> {
  const { cascade, picture, step } = search;
  const lookCloser = async (face: Candidate): Promise<Candidate> => {
    // To pixels of the overview.
    const [inOverview] = toPicture([face], picture.size, wholeOf(overview)) as [Candidate];
    const { region, zoom } = closeUpOf(inOverview, overview);
    const closeUp = await step('decode', () => resizePicture(overview, scaledSize(region, zoom), region));
    const turns = turnsOf(face);
    const seen = [
      ...(await lookAt(search, closeUp, { region, turns })),
      ...(await lookAt(search, closeUp, { region, turns, isMirrored: true })),
    ];
    return cascade.withCloseUp(face, toPicture(seen, overview, wholeOf(picture.size)));
  };
  const doubtful = found.filter((face) => cascade.isDoubtful(face)).sort(byAreaThenScore);
  const largest = new Set(doubtful.slice(0, maxCloseUps));
  const judged: Candidate[] = [];
  for (const face of found) judged.push(largest.has(face) ? await lookCloser(face) : face);
  return judged;
}
