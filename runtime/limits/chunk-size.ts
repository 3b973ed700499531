import { type Refusal, refuseField } from '../errors/refusal.js';

/** The smallest average size of the chunks of a body or a message. */
export const minMeanChunkBytes = 64;
/** This many may be of any size, as in a form that is written piece by piece. */
export const maxSmallChunks = 1_000;

export function areTooSmall(chunks: number, bytes: number): boolean {
  return chunks > maxSmallChunks && bytes < chunks * minMeanChunkBytes;
}

/** @param field what comes in such chunks */
export function chunksTooSmall(field: string): Refusal {
  const wish = `at least ${minMeanChunkBytes} bytes on average`;
  return refuseField('INVALID_FIELD', field, `comes in chunks that are too small, want ${wish}`);
}

/**
 * For each chunk of a body, tells whether the chunks so far are too small. Each chunk is an event of its own,
 * whatever its size: megabytes that arrive byte by byte would block the process for seconds.
 */
export function createChunkSizeCheck(): (chunkBytes: number) => boolean {
  let chunks = 0;
  let bytes = 0;
  return (chunkBytes) => {
    chunks += 1;
    bytes += chunkBytes;
    return areTooSmall(chunks, bytes);
  };
}
