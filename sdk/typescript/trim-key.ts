/**
 * The key as issued: files from other systems leave white space around it. One that cannot be sent is refused
 * here, since gRPC and fetch put the whole key into their error messages.
 *
 * @param name what the caller calls it
 */
export function trimKey(name: string, key: string): string {
  const trimmed = key.trim();
  if (/^[ -~]*$/.test(trimmed)) return trimmed;
  throw new TypeError(`${name} has a character that cannot be sent, want it exactly as issued`);
}
