import type { RgbPicture } from '../../../image/picture.js';
import type { Model } from '../../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../../inference/models/tensors.js';
import { turned } from '../geometry.js';
import type { Place } from '../read/hypothesis.js';
import type { CounterCandidate } from './locate.js';
import { quadsTensor, readQuads } from './network-tensors.js';

/** Finds the corners of each candidate; gives each in both reading directions. */
export async function refine(
  model: Pick<Model, 'run'>,
  picture: RgbPicture,
  candidates: readonly CounterCandidate[],
): Promise<Place[]> {
  const outputs = await model.run({
    image: pictureTensor(picture),
    quads: quadsTensor(candidates.map(({ quad }) => quad)),
  });
  const doubts = floatsOf(outputs, 'upside_down').data;
  const counters = floatsOf(outputs, 'scores').data;
  return readQuads(floatsOf(outputs, 'corners').data).flatMap((quad, candidate) => {
    const doubt = doubts[candidate] ?? 0;
    const common = {
      located: candidates[candidate]?.score ?? 0,
      counter: counters[candidate] ?? 0,
    };
    return [
      { ...common, quad, agrees: 1 - doubt },
      { ...common, quad: turned(quad), agrees: doubt },
    ];
  });
}
