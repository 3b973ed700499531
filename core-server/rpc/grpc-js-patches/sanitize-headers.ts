import type { IncomingHttpHeaders } from 'node:http2';
import { dropOversized } from './header-size.js';
import { rewriteTimeout } from './timeout-header.js';

/** Fixes headers of a call that grpc-js would mishandle. */
export function sanitizeHeaders(headers: IncomingHttpHeaders): void {
  dropOversized(headers);
  cutPath(headers);
  refuseCompression(headers);
  rewriteTimeout(headers);
  dropIllegal(headers);
}

const maxPathLength = 128;

/**
 * grpc-js repeats the path of a method that it does not have in its answer. HPACK (RFC 7541) can resend tens of
 * kilobytes with one byte, which no budget counts.
 */
function cutPath(headers: IncomingHttpHeaders): void {
  if ((headers[':path']?.length ?? 0) > maxPathLength) headers[':path'] = '/';
}

/** Uses a name that grpc-js does not know, so that it answers UNIMPLEMENTED, as the protocol requires. */
function refuseCompression(headers: IncomingHttpHeaders): void {
  const encoding = headers['grpc-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  headers['grpc-encoding'] = String(encoding).toUpperCase();
}

/** grpc-js drops them too, but writes them to stderr, and one may be a mistyped API key. */
function dropIllegal(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    const isText = !name.endsWith('-bin');
    if (!legalName.test(name) || (isText && !legalText.test(String(headers[name]))))
      delete headers[name];
  }
}

const legalName = /^[:0-9a-z_.-]+$/;
const legalText = /^[ -~]*$/;
