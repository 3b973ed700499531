const headBytes = 5;

interface Progress {
  /** Bytes received of the incomplete message. */
  readonly unfinished: number;
  /** Number of chunks in which these arrived. */
  readonly chunks: number;
  /** Bytes of each message that was completed. */
  readonly whole: readonly number[];
  /** Bytes of the largest message of which some came, as its header announces them. */
  readonly largest: number;
}

/**
 * Tracks the messages in the bytes of a gRPC stream: each has a 5-byte header, the last 4 bytes of which
 * are its length.
 *
 * @returns takes the next bytes
 */
export function createMessageMeter(): (chunk: Uint8Array) => Progress {
  let seen = 0;
  let length = 0;
  let chunks = 0;
  return (chunk) => {
    let at = 0;
    const whole: number[] = [];
    let largest = 0;
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
      if (seen >= headBytes) largest = Math.max(largest, length);
      if (seen === headBytes + length) {
        whole.push(seen);
        seen = length = 0;
        // The rest of this chunk, if any, starts the next message.
        chunks = at < chunk.length ? 1 : 0;
      }
    }
    return { unfinished: seen, chunks, whole, largest };
  };
}
