import { assembleReading } from '../assemble.js';
import type { CounterReading } from '../counter-reading.js';
import type { ReaderRules } from '../reader-rules.js';
import type { FuseReadingsInput, FuseReadingsOutput, MeterReading } from '../task.js';
import { fusePhotos } from './fuse-photos.js';

/**
 * The response for several photos of one counter, with the places of the one that says most for it. Photos that
 * disagree are for a person to look at; else a photo that alone can be used answers for all, where all together cannot or
 * are less sure of the same value. A task of the workers: eight photos of long counters take a tenth of a second.
 */
export function fuseReadings({ photos, checkBelow, known }: FuseReadingsInput, rules: ReaderRules): FuseReadingsOutput {
  const { counter, best, agrees, disagree } = fusePhotos(photos, rules, known);
  const readingOf = (seen: CounterReading, photo: number): MeterReading =>
    assembleReading(seen, { ...(photos[photo] as (typeof photos)[number]), checkBelow, known });
  const fused = readingOf(counter, best);
  if (disagree) {
    const reading: MeterReading = { ...fused, status: 'CHECK', warnings: [...fused.warnings, 'PHOTOS_DISAGREE'] };
    return { reading, best, agrees };
  }
  const { wheelBefore } = counter;
  const together = { reading: fused, best };
  const alone = photos.map((photo, at) => ({ reading: readingOf({ ...photo.counter, wheelBefore }, at), best: at }));
  const isLit = ({ best: at }: typeof together) => Number(photos[at]?.light === 'good');
  const [answer = together] = [together, ...alone]
    .filter(({ reading }) => reading.status === 'OK' && reading.value === fused.value)
    .sort((a, b) => b.reading.confidence - a.reading.confidence || isLit(b) - isLit(a));
  return { ...answer, agrees };
}
