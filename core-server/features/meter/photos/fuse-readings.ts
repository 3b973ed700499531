import { assembleReading } from '../assemble.js';
import type { KnownMeter } from '../known-meter.js';
import type { ReaderRules } from '../reader-rules.js';
import type { MeterReading, PhotoEvidence } from '../task.js';
import { fusePhotos } from './fuse-photos.js';

/**
 * The response for several photos of one counter, with the places of the one that says most for it. Photos that
 * disagree are for a person to look at.
 *
 * @param photos one or more
 */
export function fuseReadings(
  photos: readonly PhotoEvidence[],
  {
    rules,
    checkBelow,
    known,
  }: { readonly rules: ReaderRules; readonly checkBelow: number; readonly known: KnownMeter },
) {
  const { counter, best, agrees, disagree } = fusePhotos(photos, rules, known);
  const { picture, copy, light } = photos[best] as PhotoEvidence;
  const fused = assembleReading(counter, { picture, copy, light, checkBelow, known });
  const reading: MeterReading = disagree
    ? { ...fused, status: 'CHECK', warnings: [...fused.warnings, 'PHOTOS_DISAGREE'] }
    : fused;
  return { reading, best, agrees };
}
