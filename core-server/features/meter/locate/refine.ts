import type { RgbPicture } from '../../../image/picture.js';
import type { RunModel } from '../../../inference/models/sessions.js';
import { floatsOf } from '../../../inference/models/tensors.js';
import { centerOf, mapped, pointOn, type Quad, rectangle, turned } from '../geometry.js';
import type { Place } from '../read/hypothesis.js';
import { quadsOf, runOnQuads } from '../run-on-quads.js';
import type { CounterCandidate } from './locate.js';

/** What the refiner sees of a quad: one and a half times as long, half as high as that. */
function windowAround(quad: Quad): Quad {
  const [a, b, c, d] = quad;
  const along = { x: (b.x - a.x + c.x - d.x) * 0.375, y: (b.y - a.y + c.y - d.y) * 0.375 };
  return rectangle(centerOf(quad), along, 0.5);
}

/** Finds the corners of each candidate; gives each in both reading directions. */
export async function refine(
  run: RunModel,
  picture: RgbPicture,
  candidates: readonly CounterCandidate[],
): Promise<Place[]> {
  const look = async (quads: readonly Quad[]) => {
    const windows = quads.map(windowAround);
    const outputs = await runOnQuads(run, picture, windows);
    const shares = quadsOf(outputs, 'corners');
    return { outputs, corners: windows.map((w, at) => mapped(shares[at] ?? w, (share) => pointOn(w, share))) };
  };
  const first = await look(candidates.map(({ quad }) => quad));
  const { outputs, corners } = await look(first.corners);
  const doubts = floatsOf(outputs, 'upside_down').data;
  const counters = floatsOf(outputs, 'scores').data;
  return corners.flatMap((quad, candidate) => {
    const doubt = doubts[candidate] ?? 0;
    const common = { located: candidates[candidate]?.score ?? 0, counter: counters[candidate] ?? 0 };
    return [
      { ...common, quad, agrees: 1 - doubt },
      { ...common, quad: turned(quad), agrees: doubt },
    ];
  });
}
