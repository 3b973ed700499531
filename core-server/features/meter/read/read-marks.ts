import type { RgbPicture } from '../../../image/picture.js';
import type { Model } from '../../../inference/models/sessions.js';
import { floatsOf } from '../../../inference/models/tensors.js';
import type { ReaderRules } from '../reader-rules.js';
import type { Hypothesis, Marks } from './hypothesis.js';
import { expand, runOnQuads } from './read-strips.js';
import { wheelQuads, wheelsOf } from './wheels.js';

/** Looks at the wheels of a reading. */
export async function readMarks(
  model: Pick<Model, 'run'>,
  picture: RgbPicture,
  hypothesis: Hypothesis,
  text: string,
  rules: ReaderRules,
): Promise<Marks> {
  const centers = wheelsOf(hypothesis, text).map(({ center }) => center);
  const cell = { sx: 1, sy: 1, dy: 0, ...rules.cell };
  const cells = wheelQuads(hypothesis.quad, centers, rules).map((quad) => expand(quad, cell));
  const outputs = await runOnQuads(model, picture, cells);
  const fraction = [...floatsOf(outputs, 'fraction').data];
  return {
    fraction: fraction.slice(0, -1),
    untold: fraction.at(-1) ?? 1,
    wheels: [...floatsOf(outputs, 'wheel').data],
  };
}
