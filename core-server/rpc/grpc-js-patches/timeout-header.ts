import type { IncomingHttpHeaders } from 'node:http2';
import type { Metadata } from '@grpc/grpc-js';
import { invalidField, type Refusal } from '../../../runtime/errors/refusal.js';

// grpc-js answers a malformed deadline with INTERNAL, which is meant for our own errors, and treats one of
// more than 24.8 days, the maximum of a Node.js timer, as passed. Both are corrected in the headers before it
// reads them.

const malformedMetadata = 'x-internal-malformed-timeout';
const secondsOfUnit = { H: 3600, M: 60, S: 1, m: 1e-3, u: 1e-6, n: 1e-9 } as const;
const maxSeconds = 2_147_483;

/** Rewrites a deadline so that grpc-js interprets it as the caller meant it. */
export function rewriteTimeout(headers: IncomingHttpHeaders): void {
  delete headers[malformedMetadata];
  const sent = headers['grpc-timeout'];
  if (sent === undefined) return;
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(sent)) ?? [];
  if (unit === undefined) {
    delete headers['grpc-timeout'];
    // Metadata is printable; no more than a message shows.
    headers[malformedMetadata] = String(sent).replaceAll(/[^ -~]/g, '?');
  } else if (Number(count) * secondsOfUnit[unit as keyof typeof secondsOfUnit] > maxSeconds)
    headers['grpc-timeout'] = `${maxSeconds}S`;
}

/** The refusal for a call whose deadline was malformed; undefined for others. */
export function malformedTimeout(metadata: Metadata): Refusal | undefined {
  const [sent] = metadata.get(malformedMetadata);
  if (sent === undefined) return undefined;
  return invalidField('grpc-timeout', sent.toString(), '1 to 8 digits and a unit of HMSmun');
}
