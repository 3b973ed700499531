import type { HostilePicture } from './pictures.js';
import type { Random } from './random.js';

/** Chooses pictures so that what is dear keeps a fixed share and most inputs cost little. */
export interface PicturePicker {
  /** Detecting faces in a small picture takes milliseconds; a heavy one comes once in a thousand. */
  forFaces(random: Random): HostilePicture;
  /** The meter's networks take 70 ms for any picture that decodes: those are one in twenty. */
  forMeter(random: Random): HostilePicture;
}

export function createPicturePicker(pictures: readonly HostilePicture[]): PicturePicker {
  const refused = pictures.filter(({ cost }) => cost === 'refused');
  const heavy = pictures.filter(({ cost }) => cost === 'heavy');
  const light = pictures.filter(({ cost }) => cost !== 'heavy');
  const forFaces = (random: Random): HostilePicture => random.pick(random.chance(0.001) ? heavy : light);
  return { forFaces, forMeter: (random) => (random.chance(0.05) ? forFaces(random) : random.pick(refused)) };
}
