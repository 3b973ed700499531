import { assembleReading } from '../assemble.js';
import type { CounterReading } from '../counter-reading.js';
import type { KnownMeter } from '../known-meter.js';
import type { ReaderRules } from '../reader-rules.js';
import type { MeterReading, PhotoEvidence } from '../task.js';
import { fusePhotos } from './fuse-photos.js';

/**
 * The response for several photos of one counter, with the places of the one that says most for it. Photos that
 * disagree are for a person to look at; else a photo that alone can be used answers for all, where all together cannot or
 * are less sure of the same value.
 *
 * @param photos one or more
 */
export function fuseReadings(
  photos: readonly PhotoEvidence[],
  facts: { readonly rules: ReaderRules; readonly checkBelow: number; readonly known: KnownMeter },
) {
  const { rules, checkBelow, known } = facts;
  const { counter, best, agrees, disagree } = fusePhotos(photos, rules, known);
  const readingOf = (seen: CounterReading, photo: number): MeterReading =>
    assembleReading(seen, { ...(photos[photo] as PhotoEvidence), checkBelow, known });
  const fused = readingOf(counter, best);
  if (disagree) {
    const reading: MeterReading = { ...fused, status: 'CHECK', warnings: [...fused.warnings, 'PHOTOS_DISAGREE'] };
    return { reading, best, agrees };
  }
  const { wheelBefore } = counter;
  const alone = photos.map((photo, at) => ({ reading: readingOf({ ...photo.counter, wheelBefore }, at), best: at }));
  const answer = alone.reduce(
    (most, one) =>
      one.reading.status === 'OK' &&
      one.reading.value === fused.value &&
      (most.reading.status !== 'OK' || one.reading.confidence > most.reading.confidence)
        ? one
        : most,
    { reading: fused, best },
  );
  return { ...answer, agrees };
}
