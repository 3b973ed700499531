import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { refuse } from '../../runtime/refusal.js';
import { oversizedHeaders } from './header-size.js';
import { toStatusObject } from './status.js';
import { malformedTimeout } from './timeout-header.js';

/**
 * Refuses oversized headers and malformed deadlines, and ends unary calls whose request does not arrive in time:
 * handlers, and with them deadlines, start only once it is complete. Streams have their own idle limit.
 */
export function createReceiveLimit(limitMs: number): ServerInterceptor {
  return ({ requestStream }, grpcCall) => {
    const expire = () => {
      const error = refuse(
        'DEADLINE',
        `the request did not arrive in time, want it within ${limitMs} ms`,
        { details: { limit: String(limitMs) } },
      );
      grpcCall.sendStatus(toStatusObject(error));
    };
    const timer = requestStream ? undefined : setTimeout(expire, limitMs);
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const refusal = oversizedHeaders(metadata) ?? malformedTimeout(metadata);
            if (refusal === undefined) return pass(metadata);
            clearTimeout(timer);
            grpcCall.sendStatus(toStatusObject(refusal));
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
