/** What the chunks of a body or a message have at least, by the mean of all. */
export const leastMeanChunkBytes = 64;
/** So many may be of any size, as of a form that is written piece by piece. */
export const maxSmallChunks = 1_000;

/** Whether so many chunks with so many bytes are too many of too few. */
export function areTooSmall(chunks: number, bytes: number): boolean {
  return chunks > maxSmallChunks && bytes < chunks * leastMeanChunkBytes;
}

/**
 * Tells of each chunk of a body whether they are too small by now. Each is an event of its own, whatever its
 * size: megabytes that come byte by byte would keep the process from all else for seconds.
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
