import { decodeWeight } from './image/decode-weight.js';
import type { ImageLimits } from './image/limits.js';
import { validateImageBytes } from './image/validate.js';
import { handOver } from './inference/hand-over.js';
import type { RunOptions } from './inference/pool.js';

/**
 * Checks the picture of a request and makes it ready for a worker. Throws EMPTY_IMAGE, BODY_TOO_LARGE
 * or UNSUPPORTED_IMAGE_TYPE.
 */
export function preparePicture(
  bytes: Uint8Array,
  limits: ImageLimits,
): { readonly image: Uint8Array } & Required<Pick<RunOptions, 'transfer' | 'weight'>> {
  const type = validateImageBytes(bytes, limits);
  const { image, transfer } = handOver(bytes);
  return { image, transfer, weight: decodeWeight(image, type, limits) };
}
