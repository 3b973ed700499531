import { type Refusal, refuse } from '../../runtime/refusal.js';

/** The refusal for bytes that begin like a picture and cannot be decoded; what the decoder said stays inside. */
export function corruptImage(cause: unknown): Refusal {
  return refuse('CORRUPT_IMAGE', 'image is damaged or cut off, want a whole picture file', {
    details: { field: 'image' },
    cause,
  });
}
