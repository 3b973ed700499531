import { constants, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { noRoom } from '../../../runtime/errors/refusal.js';
import { areTooSmall, chunksTooSmall } from '../../../runtime/limits/chunk-size.js';
import { type BudgetShare, createHold, type FairBudget } from '../../../runtime/limits/fair-budget.js';
import { createTally, type Tally } from '../../../runtime/limits/tally.js';
import { callerAddress } from '../../../runtime/net/addresses.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';
import { isOurs } from '../service-paths.js';
import { createMessageMeter } from './message-meter.js';
import { noteMistake, refuseStream, streamOf } from './refuse-stream.js';
import { sanitizeHeaders } from './sanitize-headers.js';

export interface StreamLimits {
  /** Limit in bytes for all messages, from their first byte until they are answered. */
  readonly messageBytes: FairBudget;
  /** Limit in bytes for all responses that clients have not read. */
  readonly unreadBytes: FairBudget;
  /** A response of which nothing was read for this long is dropped. */
  readonly takeAnswerMs: number;
}

/** For a message to health or reflection, which need no key and contain only a name. */
export const maxOpenMessageBytes = 4 * 2 ** 10;

/** Per call without a key: a reflection stream answers each at once, whether or not its responses are read. */
export const maxOpenMessages = 100;

/** What is kept about a complete message, possibly empty, until it is answered. */
export const waitingMessageBytes = 2 ** 10;

/** What is kept about each chunk of a message in addition to its bytes. About 105 were measured. */
export const chunkOverheadBytes = 256;

/**
 * Limits that grpc-js lacks, enforced on the HTTP/2 streams below it:
 *
 * - Bytes of messages, over all calls, and of unfinished ones per keyless call. They count from when they arrive, whether
 *   or not they are read, until they are answered: they wait for their key, the store and their turn, and those of streams
 *   beside the queue.
 * - Messages per keyless call.
 * - Messages in thousands of tiny chunks, each of which is work and kept separately.
 * - Compressed messages, which each call would inflate a thousandfold. Pictures are compressed anyway.
 * - Responses that are not read, and calls of who has no room for more of them.
 * - Data sent after a refusal.
 * - Headers that it mishandles: deadlines that it cannot read, text that it would write to stderr, paths that it
 *   would repeat, and large ones, of which HPACK repeats each with a byte.
 *
 * - Gains: without it, 60 calls without a key took 600 MB, and 200 compressed messages of 10 KB took 2.3 GB.
 * - Costs: it stands on Node.js's documented events of streams, on its HTTP/2 passing on what arrives by `push`, and on the
 *   way in which grpc-js writes a message.
 * - Delete, limit by limit, when grpc-js has a budget of its own, as gRPC's ResourceQuota is
 *   (https://github.com/grpc/grpc-node/issues/123 is about part of it).
 */
export function guardStreams(server: Http2Server, limits: StreamLimits): void {
  const unread = createTally();
  // Before grpc-js reads headers and data.
  server.prependListener('stream', (stream, headers) => {
    const address = addressOf(stream);
    const share = limits.unreadBytes.of(address);
    const mistake = sanitizeHeaders(headers);
    const path = String(headers[':path']);
    // One more response like those that its caller has not read would be made in vain.
    const isInVain = isOurs(path) && !share.hasRoom(unread.meanOf(address));
    if (mistake) noteMistake(stream, mistake);
    else if (isInVain) noteMistake(stream, noRoom());
    limitMessages(stream, path, limits.messageBytes.of(address));
    limitUnread(stream, share, unread, address);
    endUntaken(stream, limits.takeAnswerMs);
    resetRefused(stream);
  });
}

function limitMessages(stream: ServerHttp2Stream, path: string, share: BudgetShare): void {
  const isOpenToAll = !isOurs(path);
  const maxBytes = isOpenToAll ? maxOpenMessageBytes : Infinity;
  let messagesLeft = isOpenToAll ? maxOpenMessages : Infinity;
  const hold = createHold(share);
  const addBytes = createMessageMeter();
  let underWay = 0;
  /** What each message counts that is whole, by its number. */
  const unanswered = new Map<number, number>();
  let unansweredBytes = 0;
  let received = 0;
  const count = (chunk: Buffer): void => {
    const { unfinished, chunks, whole } = addBytes(chunk);
    for (const size of whole) {
      messagesLeft -= 1;
      // Those of health and reflection are answered at once.
      if (isOpenToAll) continue;
      const bytes = size + waitingMessageBytes;
      unanswered.set(received++, bytes);
      unansweredBytes += bytes;
    }
    underWay = unfinished + chunks * chunkOverheadBytes;
    const isHeld = hold(underWay + unansweredBytes);
    if (unfinished > maxBytes || messagesLeft < 0) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    else if (areTooSmall(chunks, unfinished)) refuseStream(stream, chunksTooSmall('message'));
    else if (!isHeld) refuseStream(stream, noRoom());
  };
  answered.set(stream, (message) => {
    if (stream.destroyed) return;
    unansweredBytes -= unanswered.get(message) ?? 0;
    unanswered.delete(message);
    hold(underWay + unansweredBytes);
  });
  const push = stream.push.bind(stream);
  // As they arrive: of a call that is not read, a window of them waits in its stream.
  stream.push = (chunk: Buffer | null) => {
    // grpc-js drops what arrives after a call is answered.
    if (chunk !== null && !stream.writableEnded) count(chunk);
    return push(chunk);
  };
  stream.once('close', () => hold(0));
}

/** To be called when a message of a stream is answered. */
const answered = createSymbolProperty<ServerHttp2Stream, (message: number) => void>();

/** Notes that a handler has answered a message of its stream. @param message its number, from 0 */
export function noteAnswer(call: ServerDuplexStream<unknown, unknown>, message: number): void {
  answered.get(streamOf(call))?.(message);
}

/**
 * Has a bulk stream read one request ahead, before any is read.
 *
 * - Gains: it holds a picture more than those in progress; by Node.js's default for objects, grpc-js reads 16.
 * - Costs: the private member `_readableState`, which readable-stream and Node.js have had since 0.10.
 * - Delete when grpc-js has an option for it.
 */
export function limitReadAhead(requests: Readable): void {
  (requests as unknown as { _readableState: { highWaterMark: number } })._readableState.highWaterMark = 1;
}

/** As grpc-js calls it: with a message in one piece, and what to call when it has been sent. */
type Write = (message: Buffer, sent?: (error?: Error | null) => void) => boolean;

/** Counts the bytes of responses until they are sent; one for which there is no room is dropped with its call. */
function limitUnread(stream: ServerHttp2Stream, share: BudgetShare, tally: Tally, address: string): void {
  const write = stream.write.bind(stream) as Write;
  const hold = createHold(share);
  let unread = 0;
  const writeCounted: Write = (message, sent) => {
    if (!hold(unread + message.length)) {
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return false;
    }
    unread += message.length;
    tally.add(address, message.length);
    return write(message, (error) => {
      unread -= message.length;
      tally.remove(address, message.length);
      // What is cancelled is reported too, possibly after all has been given back.
      if (!stream.destroyed) hold(unread);
      sent?.(error);
    });
  };
  stream.write = writeCounted as typeof stream.write;
  stream.once('close', () => hold(0));
}

function endUntaken(stream: ServerHttp2Stream, takeAnswerMs: number): void {
  // It restarts with everything sent or received, also after a timeout: a listener passed to setTimeout
  // would be called only once, and a stream may be quiet before it has a response.
  stream.setTimeout(takeAnswerMs);
  stream.on('timeout', () => {
    if (stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL);
  });
}

/**
 * Asks the client to stop sending the message of a refused call (RFC 9113, 8.1), as grpc-go does. nghttp2 then
 * drops what is in flight, instead of passing it to JavaScript only to be dropped there.
 */
function resetRefused(stream: ServerHttp2Stream): void {
  stream.once('finish', () => {
    // Trailers may still have to be sent.
    const isRefused = stream.sentHeaders?.['grpc-status'] !== undefined;
    // A turn later: Node.js 22.23 and 26 drop a response that a reset overtakes, and writes what waits before that.
    if (isRefused && !stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  });
}

function addressOf({ session }: ServerHttp2Stream): string {
  return session?.destroyed === false ? callerAddress(session.socket.remoteAddress ?? '') : '';
}
