import { constants, type ServerHttp2Stream } from 'node:http2';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import type { Refusal } from '../../../runtime/errors/refusal.js';
import { createSymbolProperty } from '../../../runtime/node-patches/symbol-property.js';

/** How the call of a stream is refused. */
const refusers = createSymbolProperty<ServerHttp2Stream, (error: Refusal) => void>();

/**
 * From now on, what limits the stream of a call refuses it like this.
 *
 * - Gains: a refusal by `guardStreams` has a reason, a retry time, a log line and a count, in place of a reset.
 * - Costs: the private members `nextCall` and `stream` of grpc-js.
 * - Delete with the guard, or when a call tells which stream it is on.
 */
export function linkToStream(call: ServerInterceptingCallInterface, refuse: (error: Refusal) => void): void {
  refusers.set(streamOf(call), refuse);
}

/** Ends a stream below grpc-js: its call with the refusal, unless that has ended. */
export function refuseStream(stream: ServerHttp2Stream, error: Refusal): void {
  const refuse = stream.writableEnded ? undefined : refusers.get(stream);
  if (refuse) refuse(error);
  // gRPC clients turn this into RESOURCE_EXHAUSTED.
  else stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

/** Interceptors wrap each other, the innermost has the stream. */
type PrivateCall =
  { readonly nextCall: PrivateCall } | { readonly nextCall?: never; readonly stream: ServerHttp2Stream };

function streamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream {
  let inner = call as unknown as PrivateCall;
  while (inner.nextCall) inner = inner.nextCall;
  return inner.stream;
}
