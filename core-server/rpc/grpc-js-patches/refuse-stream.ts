import type { ServerHttp2Stream } from 'node:http2';
import type { ServerDuplexStream, ServerInterceptingCallInterface, ServerUnaryCall } from '@grpc/grpc-js';
import type { Refusal } from '../../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';

/** How the call of a stream is refused. */
const refusers = createSymbolProperty<ServerHttp2Stream, (error: Refusal) => void>();

/** What the call of a stream is to be refused with once it begins. */
const refusals = createSymbolProperty<ServerHttp2Stream, Refusal>();

/** Why a call was refused before it began, if it was. */
export const refusalOf = (call: ServerInterceptingCallInterface): Refusal | undefined => refusals.get(streamOf(call));

/**
 * From now on, what limits the stream of a call refuses it like this.
 *
 * - Gains: a refusal by `guardStreams` has a reason, a retry time, a log line and a count, in place of a reset.
 * - Costs: the private members `call`, `nextCall` and `stream` of grpc-js.
 * - Delete with the guard, or when a call tells which stream it is on.
 */
export function linkToStream(call: ServerInterceptingCallInterface, refuse: (error: Refusal) => void): void {
  refusers.set(streamOf(call), refuse);
}

/** Ends the call of a stream with the refusal, once it begins if it has not; nothing if it has been answered. */
export function refuseStream(stream: ServerHttp2Stream, error: Refusal): void {
  // Node.js ends the stream of a caller who cancels, too.
  if (stream.writableEnded && !stream.aborted) return;
  const refuse = refusers.get(stream);
  if (refuse) refuse(error);
  else refusals.set(stream, error);
}

type Call = ServerInterceptingCallInterface | ServerUnaryCall<unknown, unknown> | ServerDuplexStream<unknown, unknown>;

/** The call that stands on the HTTP/2 stream. */
interface InnermostCall {
  readonly stream: ServerHttp2Stream;
  /** Makes messages of chunks. */
  readonly decoder: { readonly readMessageSize: number; write(chunk: Buffer): unknown };
}

/** A handler's call has the outermost interceptor's, these wrap each other, and the innermost has the stream. */
interface PrivateCall {
  readonly call?: PrivateCall;
  readonly nextCall?: PrivateCall;
}

export function innermostOf(call: Call): InnermostCall {
  let inner = call as unknown as PrivateCall;
  for (let next = inner.call ?? inner.nextCall; next; next = inner.nextCall) inner = next;
  return inner as unknown as InnermostCall;
}

/** The HTTP/2 stream of a call. */
export const streamOf = (call: Call): ServerHttp2Stream => innermostOf(call).stream;
