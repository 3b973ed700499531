import { type Refusal, refuse } from '../../runtime/refusal.js';

/** The refusal for a file that starts like a picture but cannot be decoded; the decoder's message stays internal. */
export function corruptImage(cause: unknown): Refusal {
  return refuse('CORRUPT_IMAGE', 'image is damaged or cut off, want a whole picture file', {
    details: { field: 'image' },
    cause,
  });
}
