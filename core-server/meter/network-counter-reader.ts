import type { Model } from '../inference/sessions.js';
import type { CounterReader } from './counter-reading.js';
import { fuse } from './fuse.js';
import { type Hypothesis, judgePlace, rank } from './hypothesis.js';
import { locate } from './locate.js';
import { expand, readStrips } from './read-strips.js';
import type { ReaderRules } from './reader-rules.js';
import { refine } from './refine.js';

/** Our three networks. */
export interface MeterModels {
  /** image uint8 [1,S,S,3] → quads [N,4,2], scores [N], best first. */
  readonly locate: Pick<Model, 'run' | 'release'>;
  /** image uint8 [1,H,W,3], quads [K,4,2] → corners [K,4,2], upside_down [K], scores [K]. */
  readonly refine: Pick<Model, 'run' | 'release'>;
  /** image uint8 [1,H,W,3], quads [M,4,2] → probs [M,T,21], legible [M]. */
  readonly read: Pick<Model, 'run' | 'release'>;
}

/** The networks halve the picture twice; nothing readable fits into less. */
const leastSide = 16;

/**
 * Reads counters by our own networks: locate, refine, read every candidate in both directions on
 * one crop and the likeliest on all crops, fuse. The same steps as models/meter/pipeline.py.
 */
export function createNetworkCounterReader(models: MeterModels, rules: ReaderRules): CounterReader {
  const [firstCrop, ...otherCrops] = rules.crops;
  return {
    name: 'networks',
    maxSide: rules.maxSide,
    async read(picture, signal) {
      if (Math.min(picture.width, picture.height) < leastSide) return null;
      const candidates = await locate(models.locate, picture, rules);
      signal.throwIfAborted();
      const places = await refine(models.refine, picture, candidates);
      signal.throwIfAborted();
      const firstLook = await readStrips(
        models.read,
        picture,
        places.map(({ quad }) => expand(quad, firstCrop)),
      );
      const likeliest = worthMoreLooks(
        places.map((place, at) => judgePlace(place, firstLook.slice(at, at + 1), rules)),
        rules,
      );
      signal.throwIfAborted();
      const moreLooks = await readStrips(
        models.read,
        picture,
        likeliest.flatMap(({ quad }) => otherCrops.map((crop) => expand(quad, crop))),
      );
      const count = otherCrops.length;
      const judged = likeliest.map((hypothesis, at): Hypothesis => {
        const strips = [...hypothesis.strips, ...moreLooks.slice(at * count, (at + 1) * count)];
        return judgePlace(hypothesis, strips, rules);
      });
      return fuse(judged, rules);
    },
    async release() {
      await Promise.all(Object.values(models).map((model) => (model as Model).release()));
    },
  };
}

/** The best hypotheses; the first alone where it leads clearly. */
function worthMoreLooks(hypotheses: readonly Hypothesis[], rules: ReaderRules): Hypothesis[] {
  const [first, second, ...rest] = rank(hypotheses);
  if (!first) return [];
  if (!second || first.weight - second.weight > rules.clearLead) return [first];
  return [first, second, ...rest].slice(0, rules.hypotheses);
}
