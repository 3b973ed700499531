import { decodeWeight } from './image/inspect/decode-weight.js';
import { validateImageBytes } from './image/inspect/validate.js';
import type { ImageLimits } from './image/limits.js';
import { prepareTransfer } from './inference/pool/prepare-transfer.js';
import type { RunOptions } from './inference/pool/worker-pool.js';

/**
 * Checks the picture of a request and makes it ready for a worker.
 *
 * @throws Refusal EMPTY_IMAGE, BODY_TOO_LARGE, UNSUPPORTED_IMAGE_TYPE, CORRUPT_IMAGE or IMAGE_TOO_MANY_PIXELS
 */
export function preparePicture(
  bytes: Uint8Array,
  limits: ImageLimits,
): { readonly image: Uint8Array } & Required<Pick<RunOptions, 'transfer' | 'weight'>> {
  const type = validateImageBytes(bytes, limits);
  const { image, transfer } = prepareTransfer(bytes);
  return { image, transfer, weight: decodeWeight(image, type, limits) };
}
