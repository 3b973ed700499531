import { type RgbPicture, scaledSize, wholeOf } from '../../../image/picture.js';
import { copyRegion } from '../../../image/resize/copy-region.js';
import { resizePicture } from '../../../image/resize/resize-picture.js';
import type { RunModel } from '../../../inference/models/sessions.js';
import { floatsOf, pictureTensor } from '../../../inference/models/tensors.js';
import { centerOf, distance, mapped, type Quad, sizeOf } from '../geometry.js';
import type { ReaderRules } from '../reader-rules.js';
import { asInTraining, quadsOf } from '../run-on-quads.js';

export interface CounterCandidate {
  readonly quad: Quad;
  readonly score: number;
}

/** Looks for counters in the whole picture. @returns a candidate for each, in pixels of the picture, best first */
export async function locate(run: RunModel, picture: RgbPicture, rules: ReaderRules): Promise<CounterCandidate[]> {
  const { image, left, top, scaleX, scaleY } = letterbox(picture, rules.locateSize);
  const outputs = await run({ image: pictureTensor(image) });
  const scores = floatsOf(outputs, 'scores').data;
  const found = quadsOf(outputs, 'quads').map((quad, index) => ({ quad, score: scores[index] ?? 0 }));
  return chooseCandidates(found, rules).map(({ quad, score }) => ({
    quad: mapped(quad, ({ x, y }) => ({ x: (x - left) / scaleX, y: (y - top) / scaleY })),
    score,
  }));
}

/** The best ones that are not the same counter; the very best one whatever its score. */
export function chooseCandidates(found: readonly CounterCandidate[], rules: ReaderRules): CounterCandidate[] {
  const kept: CounterCandidate[] = [];
  const minScore = Math.max(rules.minLocateScore, rules.relativeLocateScore * (found[0]?.score ?? 0));
  for (const candidate of found) {
    if (kept.length === rules.candidates) break;
    if (kept.length > 0 && candidate.score < minScore) break;
    if (!kept.some(({ quad }) => isSameCounter(quad, candidate.quad, rules))) kept.push(candidate);
  }
  return kept;
}

/** Whether the centres are close, for counters of this width. */
export function isSameCounter(a: Quad, b: Quad, rules: ReaderRules): boolean {
  return distance(centerOf(a), centerOf(b)) < rules.sameCounterDistance * Math.max(sizeOf(a).width, sizeOf(b).width);
}

/** The picture in the middle of a black square, as large as possible. */
function letterbox(picture: RgbPicture, side: number) {
  const longer = Math.max(picture.width, picture.height);
  const size = scaledSize(picture, side / longer);
  const small = resizePicture(picture, size, wholeOf(picture), asInTraining);
  const left = Math.floor((side - small.width) / 2);
  const top = Math.floor((side - small.height) / 2);
  return {
    image: copyRegion(small, { left: -left, top: -top, width: side, height: side }),
    left,
    top,
    scaleX: small.width / picture.width,
    scaleY: small.height / picture.height,
  };
}
