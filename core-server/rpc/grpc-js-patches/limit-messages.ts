import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { bodyTooLarge, callerGone, noRoom, type Refusal } from '../../../runtime/errors/refusal.js';
import { areTooSmall, chunksTooSmall } from '../../../runtime/limits/chunk-size.js';
import { type BudgetShare, createHold } from '../../../runtime/limits/fair-budget.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';
import { isOurs } from '../service-paths.js';
import { createMessageMeter } from './message-meter.js';
import { refuseStream, streamOf } from './refuse-stream.js';

/** For a message to health or reflection, which need no key and contain only a name. */
export const maxKeylessMessageBytes = 4 * 2 ** 10;

/** Per call without a key: a reflection stream answers each at once, whether or not its responses are read. */
export const maxKeylessMessages = 100;

/**
 * What is kept about a complete message, possibly empty, until it is answered. About 8,500 were measured of a small picture
 * that waits for a worker, of which eight thousand streams have hundreds of thousands under way.
 */
export const waitingMessageBytes = 12 * 2 ** 10;

/** What is kept about each chunk of a message in addition to its bytes. About 105 were measured. */
export const chunkOverheadBytes = 256;

/** Limits the messages of a stream: their bytes to its caller's shares, their chunks, and without a key their number. */
export function limitMessages(
  stream: ServerHttp2Stream,
  path: string,
  maxMessageBytes: number,
  shares: readonly BudgetShare[],
): void {
  // Health, reflection, and what does not exist.
  const needsNoKey = !isOurs(path);
  const maxBytes = needsNoKey ? maxKeylessMessageBytes : maxMessageBytes;
  let messagesLeft = needsNoKey ? maxKeylessMessages : Infinity;
  const hold = createHold(...shares);
  const addBytes = createMessageMeter();
  let underWay = 0;
  /** What each message counts that is whole, by its number. */
  const unanswered = new Map<number, number>();
  let unansweredBytes = 0;
  let received = 0;
  let isRefused = false;
  const refuse = (error: Refusal): void => {
    isRefused = true;
    refuseStream(stream, error);
  };
  const count = (chunk: Buffer): void => {
    const { unfinished, chunks, whole, largest } = addBytes(chunk);
    for (const size of whole) {
      messagesLeft -= 1;
      // Those of health and reflection are answered at once.
      if (needsNoKey) continue;
      const bytes = size + waitingMessageBytes;
      unanswered.set(received++, bytes);
      unansweredBytes += bytes;
    }
    underWay = unfinished + chunks * chunkOverheadBytes;
    const isHeld = hold(underWay + unansweredBytes);
    const isTooLarge = largest > maxBytes;
    if (messagesLeft < 0 || (isTooLarge && needsNoKey)) stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    else if (areTooSmall(chunks, unfinished)) refuse(chunksTooSmall('message'));
    else if (!isHeld) refuse(noRoom());
    else if (isTooLarge) refuse(bodyTooLarge('message', maxBytes));
  };
  answered.set(stream, (message) => {
    if (stream.destroyed) return;
    unansweredBytes -= unanswered.get(message) ?? 0;
    unanswered.delete(message);
    hold(underWay + unansweredBytes);
  });
  const push = stream.push.bind(stream);
  // As they arrive: of a call that is not read, a window of them waits in its stream.
  const pushCounted = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      // Who cancels a call with Node.js's client ends it first, which grpc-js takes for a call without a message.
      if (underWay > 0) refuse(callerGone());
      return push(null);
    }
    if (!isRefused && !stream.writableEnded) count(chunk);
    // What arrives for a call that ends is dropped.
    return isRefused || stream.writableEnded || push(chunk);
  };
  stream.push = pushCounted;
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
