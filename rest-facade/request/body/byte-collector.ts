import { refuse } from '../../../runtime/errors/refusal.js';

/** Size of the first buffer if no length is announced. */
const firstBytes = 64 * 1024;

/**
 * Collects the chunks of a body in one buffer.
 * @param maxBytes the most that is pushed
 * @param expectedBytes the Content-Length. A buffer of that size costs no memory until it is written.
 */
export function createByteCollector(maxBytes: number, expectedBytes = firstBytes) {
  let buffer = Buffer.allocUnsafeSlow(Math.min(expectedBytes, maxBytes));
  let length = 0;
  return {
    /** Copies a chunk to the end. */
    push(chunk: Uint8Array): void {
      const wanted = length + chunk.length;
      if (wanted > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, buffer.length * 2), maxBytes));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length = wanted;
    },
    /** The data so far, a view of the buffer. */
    bytes: (): Buffer => buffer.subarray(0, length),
  };
}

/** The refusal of a body, or of a file in it, that is larger than allowed. */
export function bodyTooLarge(what: string, maxBytes: number) {
  return refuse('BODY_TOO_LARGE', `${what} is too large, want at most ${maxBytes} bytes`, {
    details: { field: what, limit: String(maxBytes) },
  });
}
