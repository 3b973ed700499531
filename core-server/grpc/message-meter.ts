const headBytes = 5;

/**
 * Follows the messages in the bytes of a gRPC stream: each has a head of 5 bytes, the last 4 of which
 * are its length.
 *
 * @returns takes the next bytes, and tells how many there are of the message that is not whole yet
 */
export function createMessageMeter(): (chunk: Uint8Array) => number {
  let seen = 0;
  let length = 0;
  return (chunk) => {
    let at = 0;
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
      if (seen >= headBytes && seen === headBytes + length) seen = length = 0;
    }
    return seen;
  };
}
