import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { DamagedFile } from './cursor.js';

/** The refusal for a file that starts like a picture but cannot be decoded; the decoder's message stays internal. */
export function corruptImage(cause: unknown): Refusal {
  return refuse('CORRUPT_IMAGE', 'image is damaged or cut off, want a whole picture file', {
    details: { field: 'image' },
    cause,
  });
}

/** Does the work on a file. @throws Refusal CORRUPT_IMAGE if it finds the file damaged */
export function refuseDamaged<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof DamagedFile ? corruptImage(error) : error;
  }
}
