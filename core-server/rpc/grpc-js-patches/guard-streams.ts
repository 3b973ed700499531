import { constants, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { noRoom } from '../../../runtime/errors/refusal.js';
import type { FairBudget } from '../../../runtime/limits/fair-budget.js';
import { createUnread } from '../../../runtime/limits/unread.js';
import { isOurs } from '../service-paths.js';
import { callerOf } from './caller-of.js';
import { limitMessages } from './limit-messages.js';
import { limitUnread } from './limit-unread.js';
import { refuseStream } from './refuse-stream.js';
import { sanitizeHeaders } from './sanitize-headers.js';

export interface StreamLimits {
  /** Limit in bytes for one message. */
  readonly maxMessageBytes: number;
  /** Limit in bytes for all messages, from their first byte until they are answered. */
  readonly messageBytes: FairBudget;
  /** The same, shared out by the keys that calls show: with one key, eight addresses could take nearly all. */
  readonly messageBytesOfKeys: FairBudget;
  /** Limit in bytes for all responses that clients have not read. */
  readonly unreadBytes: FairBudget;
  /** A response that is not read to its end for this long, while none is before it, is dropped with its call. */
  readonly takeAnswerMs: number;
}

/**
 * Limits that grpc-js lacks, enforced on the HTTP/2 streams below it: of headers, of messages from when they arrive until
 * they are answered, and of responses until they are read.
 *
 * - Gains: without it, 60 calls without a key took 600 MB, and 200 compressed messages of 10 KB took 2.3 GB.
 * - Costs: it stands on Node.js's documented events of streams, on its HTTP/2 passing on what arrives by `push`, on streams
 *   without `_writev` writing one by one what waits, and on the way in which grpc-js writes a message.
 * - Delete, limit by limit, when grpc-js has a budget of its own, as gRPC's ResourceQuota is
 *   (https://github.com/grpc/grpc-node/issues/123 is about part of it).
 */
export function guardStreams(server: Http2Server, limits: StreamLimits): void {
  const unread = createUnread();
  // Before grpc-js reads headers and data.
  server.prependListener('stream', (stream, headers) => {
    const address = callerOf(stream.session);
    const share = limits.unreadBytes.of(address);
    const mistake = sanitizeHeaders(headers);
    const path = String(headers[':path']);
    if (mistake) refuseStream(stream, mistake);
    else if (isOurs(path) && !unread.hasRoom(share)) refuseStream(stream, noRoom());
    // By the whole key, not its public id: who makes one up has a share of his own, until he is refused.
    const ofKey = isOurs(path) ? [limits.messageBytesOfKeys.of(String(headers['apikey'] ?? ''))] : [];
    limitMessages(stream, path, limits.maxMessageBytes, [limits.messageBytes.of(address), ...ofKey]);
    limitUnread(stream, unread, share, limits.takeAnswerMs);
    resetAnswered(stream);
  });
}

/**
 * Ends a stream that has its status although its caller has not ended it (RFC 9113, 8.1), as grpc-go does: it would stay,
 * with what was sent of a message, as long as its connection. nghttp2 then drops what is in flight, instead of passing it
 * to JavaScript only to be dropped there.
 */
function resetAnswered(stream: ServerHttp2Stream): void {
  const reset = (): void => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  };
  // With its headers. A turn later: Node.js 22.23 and 26 drop a response that a reset overtakes, and writes what waits
  // before that.
  stream.once('finish', () => stream.sentHeaders?.['grpc-status'] !== undefined && setImmediate(reset));
  // In trailers, which Node.js sends a turn after it has asked for them.
  stream.once('wantTrailers', () => setImmediate(setImmediate, reset));
}
