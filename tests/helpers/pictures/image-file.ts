import { receivePicture } from '../../../core-server/image/inspect/receive-picture.js';
import type { ImageFile } from '../../../core-server/image/picture.js';
import { Refusal } from '../../../runtime/errors/refusal.js';

/** A file with its type, as a worker gets it; of what is no picture, a type that it is not. */
export function imageFile(bytes: Uint8Array): ImageFile {
  try {
    return receivePicture(bytes, { maxBytes: Infinity });
  } catch (error) {
    if (error instanceof Refusal) return { bytes, type: 'jpeg' };
    throw error;
  }
}
