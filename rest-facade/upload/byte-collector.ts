import { refuse } from '../errors.js';
import type { ByteShare } from '../../runtime/byte-budget.js';

/** Smallest piece of the budget that is taken at once. */
const stepBytes = 64 * 1024;

/** Collects the chunks of one body in one buffer. */
export interface ByteCollector {
  /**
   * Copies a chunk to the end.
   * @throws Refusal BODY_TOO_LARGE, QUEUE_FULL
   */
  push(chunk: Uint8Array): void;
  /** What came so far, a view on the buffer. */
  bytes(): Buffer;
  /**
   * Gives back what was taken from the budget; the bytes must not be used any more. Chunks that still
   * come are dropped.
   */
  readonly release: () => void;
}

/**
 * @param options.what named in refusals: `file`, `body`
 * @param options.expectedBytes what Content-Length promises. A buffer of that size costs no memory
 *   until it is written; the budget is taken as bytes come, so that a caller who promises much and
 *   sends nothing takes nothing from the others.
 */
export function createByteCollector(options: {
  what: string;
  maxBytes: number;
  expectedBytes: number | undefined;
  budget: ByteShare;
}): ByteCollector {
  const { what, maxBytes, budget } = options;
  let buffer = Buffer.allocUnsafeSlow(Math.min(options.expectedBytes ?? stepBytes, maxBytes));
  let length = 0;
  let taken = 0;
  let isReleased = false;
  return {
    push(chunk) {
      if (isReleased) return;
      const wanted = length + chunk.length;
      if (wanted > maxBytes) throw bodyTooLarge(what, maxBytes);
      if (wanted > taken) {
        const more = Math.max(wanted - taken, stepBytes);
        if (!budget.take(more))
          throw refuse(
            'QUEUE_FULL',
            'the service has all the uploads it can hold, try again in 1 s',
            {
              retryAfterSeconds: 1,
            },
          );
        taken += more;
      }
      if (wanted > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(
          Math.min(Math.max(wanted, buffer.length * 2), maxBytes),
        );
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length = wanted;
    },
    bytes: () => buffer.subarray(0, length),
    release: () => {
      budget.give(taken);
      taken = 0;
      isReleased = true;
    },
  };
}

/** The refusal of a body, or of a file in it, that is larger than allowed. */
export function bodyTooLarge(what: string, maxBytes: number) {
  return refuse('BODY_TOO_LARGE', `${what} is too large, want at most ${maxBytes} bytes`, {
    details: { field: what, limit: String(maxBytes) },
  });
}
