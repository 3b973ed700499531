import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { refuseCall } from '../call-log.js';
import { linkToStream, mistakeOf } from '../grpc-js-patches/refuse-stream.js';

/**
 * Refuses oversized headers, malformed deadlines and what the guard of streams refuses, and ends unary calls whose
 * request does not arrive in time: handlers, and with them deadlines, start only once it is complete. Streams have
 * their own idle limit.
 */
export function createReceiveLimit(limitMs: number, log: Logger): ServerInterceptor {
  return ({ path, requestStream }, grpcCall) => {
    let timer: NodeJS.Timeout | undefined;
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const end = (error: Refusal) => refuseCall(grpcCall, error, { path, metadata, log });
            const mistake = mistakeOf(grpcCall);
            if (mistake) return end(mistake);
            linkToStream(grpcCall, end);
            if (!requestStream) timer = setTimeout(() => end(tooSlow(limitMs)), limitMs);
            pass(metadata);
          },
          onReceiveHalfClose(pass) {
            clearTimeout(timer);
            pass();
          },
          onCancel: () => clearTimeout(timer),
        }),
    });
  };
}

function tooSlow(limitMs: number): Refusal {
  return refuse('DEADLINE', `the request did not arrive in time, want it within ${limitMs} ms`, {
    details: { limit: String(limitMs) },
  });
}
