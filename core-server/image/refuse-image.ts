import type { Reason } from '../../runtime/errors/reasons.js';
import { type Refusal, refuse } from '../../runtime/errors/refusal.js';

/** @param whatAndWish what the picture is, and what is wanted: the rest of the sentence that begins with `image` */
export function refuseImage(
  reason: Reason,
  whatAndWish: string,
  facts: { readonly value?: string | number; readonly limit?: number; readonly cause?: unknown } = {},
): Refusal {
  const { value, limit, cause } = facts;
  const details = {
    field: 'image',
    ...(value !== undefined && { value: String(value) }),
    ...(limit !== undefined && { limit: String(limit) }),
  };
  return refuse(reason, `image ${whatAndWish}`, { details, cause });
}

/**
 * The refusal for a file that starts like a picture but cannot be decoded, contradicts itself, or asks for more work than
 * any picture needs; why stays internal.
 */
export function corruptImage(cause: unknown): Refusal {
  return refuseImage('CORRUPT_IMAGE', 'is damaged or cut off, want a whole picture file', { cause });
}
