import { decodeRegion, decodeUpright, turnPicture } from '../../image/decode/decode.js';
import { type OpenPicture, type Region, type RgbPicture, scaledSize, wholeOf } from '../../image/picture.js';
import { resizePicture } from '../../image/resize/resize-picture.js';
import type { Model } from '../../inference/models/sessions.js';
import { inferFaces, readCandidates } from './candidates.js';
import {
  addGlance,
  addTurned,
  type CascadeRule,
  mayBeTurned,
  mergeLooks,
  overviewScale,
  planSecondLook,
  sameFaceOverlap,
  suffices,
} from './cascade.js';
import { type Candidate, suppress, toPicture, turnBack } from './geometry.js';

/** Times a step of the work; throws if the caller is gone. */
export type Step = <Result>(name: string, work: () => Result | Promise<Result>) => Promise<Result>;

/** All looks of the cascade: what may be a face, from `minScore` on, in the picture's pixels. */
export async function findFaces(
  picture: OpenPicture,
  minScore: number,
  { model, rule, step }: { model: Pick<Model, 'run'>; rule: CascadeRule; step: Step },
): Promise<Candidate[]> {
  const { size, whole } = picture;
  const see = async (pixels: RgbPicture): Promise<Candidate[]> => {
    const outputs = await step('infer', () => inferFaces(model, pixels, minScore));
    return step('suppress', () => suppress(readCandidates(outputs), sameFaceOverlap));
  };
  const lookAt = async (pixels: RgbPicture, region: Region = wholeOf(size)) =>
    (await see(pixels)).map((candidate) => toPicture(candidate, pixels, region));

  const usual = overviewScale(size, rule);
  const overviewSize = scaledSize(size, usual);
  const overview = await step('decode', () =>
    whole ? resizePicture(whole, overviewSize) : decodeUpright(picture, overviewSize),
  );
  const glanceScale = usual * rule.glanceScale;
  const miniature = await step('decode', () => resizePicture(overview, scaledSize(size, glanceScale)));

  let found = await lookAt(miniature);
  let firstScale = glanceScale;
  if (!suffices(found, size, rule)) {
    found = addGlance(await lookAt(overview), found, size, rule);
    firstScale = usual;
  }

  if (mayBeTurned(found, rule)) {
    for (const turns of [1, 2, 3] as const) {
      const turned = await see(await step('decode', () => turnPicture(miniature, turns)));
      const back = turned
        .map((candidate) => turnBack(candidate, turns, miniature))
        .map((candidate) => toPicture(candidate, miniature, wholeOf(size)));
      found = addTurned(found, back, size, rule);
    }
  }

  const second = planSecondLook(found, size, rule, firstScale);
  if (second === undefined) return found;
  const { region, zoom } = second;
  const secondSize = scaledSize(region, zoom);
  const detail = await step('decode', () =>
    whole ? resizePicture(whole, secondSize, region) : decodeRegion(picture, region, secondSize),
  );
  return mergeLooks(found, await lookAt(detail, region), region, size, rule);
}
