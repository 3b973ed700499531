import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ServerDuplexStream, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { type BudgetShare, createHold } from '../../../runtime/limits/fair-budget.js';
import type { Tally } from '../../../runtime/limits/tally.js';

/** As grpc-js calls it: with a message in one piece, and what to call when it has been sent. */
type Write = (message: Buffer, sent?: (error?: Error | null) => void) => boolean;

interface UnreadLimits {
  readonly share: BudgetShare;
  readonly tally: Tally;
  readonly address: string;
  readonly takeAnswerMs: number;
}

/**
 * Counts the bytes of responses until they are sent; one for which there is no room is dropped with its call, and so is
 * one that takes too long once none is before it: read a byte now and then, it would keep its room, and its request, for
 * ever. (Node.js's timeout of a stream is none for this: what is sent to any stream of a connection counts.)
 */
export function limitUnread(stream: ServerHttp2Stream, { share, tally, address, takeAnswerMs }: UnreadLimits): void {
  const write = stream.write.bind(stream) as Write;
  const hold = createHold(share);
  let unread = 0;
  let untaken: NodeJS.Timeout | undefined;
  const waitForFirst = (): void => {
    clearTimeout(untaken);
    if (unread === 0 || stream.destroyed) return;
    untaken = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), takeAnswerMs);
  };
  const writeCounted: Write = (message, sent) => {
    if (!hold(unread + message.length)) {
      stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return false;
    }
    unread += message.length;
    if (unread === message.length) waitForFirst();
    tally.add(address, message.length);
    return write(message, (error) => {
      unread -= message.length;
      tally.remove(address, message.length);
      // What is cancelled is reported too, possibly after all has been given back.
      if (!stream.destroyed) hold(unread);
      waitForFirst();
      sent?.(error);
    });
  };
  stream.write = writeCounted as typeof stream.write;
  // One by one: those that wait together would be sent as one.
  stream._writev = null as never;
  stream.once('close', () => {
    waitForFirst();
    hold(0);
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
