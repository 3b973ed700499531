const headBytes = 5;

/** What the bytes that came last brought. */
export interface MeterReading {
  /** Bytes there are of the message that is not whole yet. */
  readonly unfinished: number;
  /** Chunks that these came in. */
  readonly chunks: number;
  /** Messages that became whole. */
  readonly whole: number;
}

/**
 * Follows the messages in the bytes of a gRPC stream: each has a head of 5 bytes, the last 4 of which
 * are its length.
 *
 * @returns takes the next bytes
 */
export function createMessageMeter(): (chunk: Uint8Array) => MeterReading {
  let seen = 0;
  let length = 0;
  let chunks = 0;
  return (chunk) => {
    let at = 0;
    let whole = 0;
    chunks += 1;
    while (at < chunk.length) {
      if (seen < headBytes) {
        // The first byte says whether it is compressed.
        if (seen > 0) length = length * 256 + (chunk[at] ?? 0);
        seen += 1;
        at += 1;
      } else {
        const taken = Math.min(headBytes + length - seen, chunk.length - at);
        seen += taken;
        at += taken;
      }
      if (seen >= headBytes && seen === headBytes + length) {
        seen = length = 0;
        whole += 1;
        // The rest of this chunk, if any, begins the next message.
        chunks = at < chunk.length ? 1 : 0;
      }
    }
    return { unfinished: seen, chunks, whole };
  };
}
