import type { Reason } from '../../runtime/errors/reasons.js';
import { type Facts, type Refusal, refuseField } from '../../runtime/errors/refusal.js';

/** @param whatAndWish what the picture is, and what is wanted: the rest of the sentence that begins with `image` */
export function refuseImage(reason: Reason, whatAndWish: string, facts?: Facts): Refusal {
  return refuseField(reason, 'image', whatAndWish, facts);
}

/** A file of a sort that is not read. @param type what its first bytes say, where they say something */
export function unsupportedImage(type: string | undefined, whatAndWish: string, limit?: number): Refusal {
  return refuseImage('UNSUPPORTED_IMAGE_TYPE', whatAndWish, { value: type, limit });
}

/**
 * The refusal for a file that starts like a picture but cannot be decoded, contradicts itself, or asks for more work than
 * any picture needs; why stays internal.
 */
export function corruptImage(cause: unknown): Refusal {
  return refuseImage('CORRUPT_IMAGE', 'is damaged or cut off, want a whole picture file', { cause });
}
