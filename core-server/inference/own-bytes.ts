/**
 * The bytes in memory of their own. What is sent to a worker takes all the memory that it is a view
 * of along, and the buffer of a received message may be a slice of something larger.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  const ownsItWhole = bytes.byteLength === bytes.buffer.byteLength;
  // Not `slice`: that of a Buffer is another view.
  return ownsItWhole ? bytes : Uint8Array.from(bytes);
}
