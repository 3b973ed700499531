import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { refuseCall } from '../call-log.js';
import { linkToStream, mistakeOf } from '../grpc-js-patches/refuse-stream.js';
import { isKeyless } from '../service-paths.js';

/** Checks the key in the metadata of a call; rejects with a refusal. */
export type KeyCheck = (metadata: Metadata, ...call: Parameters<ServerInterceptor>) => Promise<void>;

/**
 * Refuses oversized headers, malformed deadlines, keys (those of health and reflection are not checked) and what the
 * guard of streams refuses, before any message is read, and ends unary calls whose request does not arrive in time:
 * handlers, and with them deadlines, start only once it is complete. Streams have their own idle limit.
 */
export function admitCalls(
  checkKey: KeyCheck,
  { maxDeadlineMs, log }: { readonly maxDeadlineMs: number; readonly log: Logger },
): ServerInterceptor {
  return (method, grpcCall) => {
    const { path, requestStream } = method;
    let timer: NodeJS.Timeout | undefined;
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const end = (error: Refusal) => refuseCall(grpcCall, error, { path, metadata, log });
            const mistake = mistakeOf(grpcCall);
            if (mistake) return end(mistake);
            linkToStream(grpcCall, end);
            if (!requestStream) timer = setTimeout(() => end(tooSlow(maxDeadlineMs)), maxDeadlineMs);
            const admit = async () => {
              if (!isKeyless(path)) await checkKey(metadata, method, grpcCall);
              metadata.remove('apikey');
              metadata.remove('adminkey');
              pass(metadata);
            };
            admit().catch((caught: unknown) => end(Refusal.from(caught)));
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
