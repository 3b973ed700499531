import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyTooLarge, invalidField } from '../../runtime/errors/refusal.js';

/** The Content-Length; undefined for a chunked body. Node.js has checked that it is a number. */
export function contentLength(request: IncomingMessage): number | undefined {
  const given = request.headers['content-length'];
  return given === undefined ? undefined : Number(given);
}

export function hasBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || (contentLength(request) ?? 0) > 0;
}

/** Refuses by the headers, before the body is read. @throws Refusal BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE */
export function checkHeaders(request: IncomingMessage, maxBodyBytes: number): void {
  if ((contentLength(request) ?? 0) > maxBodyBytes) throw bodyTooLarge('body', maxBodyBytes);
  const { 'transfer-encoding': transfer, 'content-encoding': encoding } = request.headers;
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
    throw invalidField('transfer-encoding', transfer, 'chunked', 'UNSUPPORTED_CONTENT_TYPE');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw invalidField('content-encoding', encoding, 'none', 'UNSUPPORTED_CONTENT_TYPE');
}

/** Tells a caller that sent `Expect: 100-continue` to send its body; called once all checks have passed. */
export function allowBody(request: IncomingMessage, response: ServerResponse): void {
  if (!awaitsContinue(request)) return;
  // Met from now on.
  delete request.headers.expect;
  response.writeContinue();
}

/** Whether the caller waits to be told, so that none of its body has been sent. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  // HTTP/1.0 has no such response, which would be taken for the last one (RFC 9110, 10.1.1).
  return httpVersion !== '1.0' && /^100-continue$/i.test(headers.expect ?? '');
}
