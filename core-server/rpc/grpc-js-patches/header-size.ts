import type { IncomingHttpHeaders } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';
import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';

// A call can refer to a header sent earlier on its connection with one byte (RFC 7541), so that a hundred bytes
// become half a megabyte, which grpc-js keeps as long as the call. SETTINGS_MAX_HEADER_LIST_SIZE binds only peers
// that acknowledge it.

/** Names and values of all headers of a call; the default of grpc-go and grpc-java. */
export const maxHeaderBytes = 8 * 2 ** 10;

const oversizedMetadata = 'x-internal-oversized-headers';
/** What grpc-js needs to find the method. */
const kept: readonly string[] = [':method', ':path', 'content-type'];

/** Drops headers that are too large in total, except those needed for the refusal. */
export function dropOversized(headers: IncomingHttpHeaders): void {
  delete headers[oversizedMetadata];
  const bytes = sizeOf(headers);
  if (bytes <= maxHeaderBytes) return;
  for (const name in headers) if (!kept.includes(name)) delete headers[name];
  headers[oversizedMetadata] = String(bytes);
}

/** The refusal for a call whose headers were too large; undefined for others. */
export function oversizedHeaders(metadata: Metadata): Refusal | undefined {
  const [bytes] = metadata.get(oversizedMetadata);
  if (bytes === undefined) return undefined;
  const value = bytes.toString();
  return refuse('INVALID_FIELD', `metadata has ${value} bytes, want at most ${maxHeaderBytes}`, {
    details: { field: 'metadata', value, limit: String(maxHeaderBytes) },
  });
}

function sizeOf(headers: IncomingHttpHeaders): number {
  let bytes = 0;
  for (const name in headers) {
    const value = headers[name] ?? '';
    const values = typeof value === 'string' ? [value] : value;
    bytes += values.reduce((sum, { length }) => sum + length, name.length * values.length);
  }
  return bytes;
}
