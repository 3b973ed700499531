import { freeBuffer } from '../../../runtime/node-patches/free-buffer.js';

const firstBytes = 64 * 1024;

/**
 * Collects the chunks of a body in one buffer, which grows as they arrive: it costs no memory until it is written, but
 * V8 collects all its garbage ever more often the more it is told that buffers take.
 * @param maxBytes the most that is pushed
 * @param expectedBytes the Content-Length
 */
export function createByteCollector(maxBytes: number, expectedBytes = maxBytes) {
  let buffer = Buffer.allocUnsafeSlow(Math.min(firstBytes, expectedBytes, maxBytes));
  let length = 0;
  return {
    push(chunk: Uint8Array): void {
      const wanted = length + chunk.length;
      if (wanted > buffer.length) {
        const mostBytes = wanted > expectedBytes ? maxBytes : Math.min(expectedBytes, maxBytes);
        const larger = Buffer.allocUnsafeSlow(Math.min(4 * wanted, mostBytes));
        buffer.copy(larger, 0, 0, length);
        freeBuffer(buffer);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length = wanted;
    },
    /** The data so far, a view of the buffer. */
    bytes: (): Buffer => buffer.subarray(0, length),
  };
}
