/**
 * The bytes in memory that is not much larger than themselves: what is sent to a worker is copied
 * with all the memory that it is a view of, and a received message may lie in something larger.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const isMostOfIt = 2 * bytes.byteLength >= bytes.buffer.byteLength;
  // Not `slice`: that of a Buffer is another view.
  return isMostOfIt ? bytes : new Uint8Array(bytes);
}
