import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ServerDuplexStream, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { noRoom, type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import type { BudgetShare } from '../../../runtime/limits/fair-budget.js';
import type { Unread } from '../../../runtime/limits/unread.js';
import { refuseStream } from './refuse-stream.js';

/** As grpc-js calls it: with a message in one piece, and what to call when it has been sent. */
type Write = (message: Buffer, sent?: (error?: Error | null) => void) => boolean;

/**
 * Counts the bytes of responses until they are sent; one for which there is no room is dropped with its call, and so is
 * one that takes too long once none is before it: read a byte now and then, it would keep its room, and its request, for
 * ever. (Node.js's timeout of a stream is none for this: what is sent to any stream of a connection counts.)
 */
export function limitUnread(stream: ServerHttp2Stream, unread: Unread, share: BudgetShare, takeAnswerMs: number): void {
  const write = stream.write.bind(stream) as Write;
  /** What gives back the bytes of each that is not sent. */
  const own = new Set<() => void>();
  let untaken: NodeJS.Timeout | undefined;
  /** Resets it as well: its caller takes nothing, not even the refusal, which is for the log and the metrics. */
  const drop = (error: Refusal, code: number): void => {
    refuseStream(stream, error);
    stream.close(code);
  };
  const waitForFirst = (): void => {
    clearTimeout(untaken);
    if (own.size === 0 || stream.destroyed) return;
    untaken = setTimeout(() => drop(notTaken(takeAnswerMs), constants.NGHTTP2_CANCEL), takeAnswerMs);
  };
  const writeCounted: Write = (message, sent) => {
    const giveBack = unread.take(share, message.length);
    if (giveBack === undefined) {
      drop(noRoom(), constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return false;
    }
    own.add(giveBack);
    if (own.size === 1) waitForFirst();
    return write(message, (error) => {
      // What is cancelled is reported too, possibly after all has been given back.
      if (own.delete(giveBack)) giveBack();
      waitForFirst();
      sent?.(error);
    });
  };
  stream.write = writeCounted as typeof stream.write;
  // One by one: those that wait together would be sent as one.
  stream._writev = null as never;
  stream.once('close', () => {
    waitForFirst();
    for (const giveBack of own) giveBack();
    own.clear();
  });
}

/**
 * Gives a response of a bulk stream to its HTTP/2 stream at once; resolves when it has been sent, and never if the call
 * ends before.
 *
 * - Gains: it counts as unread. By Node.js's default for objects, the call itself would keep 16 behind an unread one,
 *   which nobody counts: for 64 streams that read a byte a second, it kept 384 answers of 2 MB.
 * - Costs: the private member `call` of grpc-js's streams.
 * - Delete when grpc-js has a budget of its own for what it keeps.
 */
export function sendAtOnce<Response>(stream: ServerDuplexStream<unknown, Response>, response: Response): Promise<void> {
  const { call } = stream as unknown as { readonly call: ServerInterceptingCallInterface };
  return new Promise((resolve) => call.sendMessage(response, resolve));
}

function notTaken(limitMs: number): Refusal {
  return refuse('DEADLINE', `an answer was not taken within ${limitMs} ms`, { limit: limitMs });
}
