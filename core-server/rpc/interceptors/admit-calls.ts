import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { asRefusal, type Refusal, refuse } from '../../../runtime/errors/refusal.js';
import type { IsTrustedProxy } from '../../../runtime/net/addresses.js';
import { logFault, readRequestId } from '../call-log.js';
import { stateOf } from '../call-state.js';
import { addressBehindProxy, peerAddress } from '../client-address.js';
import { noteKey } from '../grpc-js-patches/limit-strangers.js';
import { linkToStream, refusalOf } from '../grpc-js-patches/refuse-stream.js';
import { isKeyless } from '../service-paths.js';
import { toStatusObject } from '../status.js';

/** Checks the key in the metadata of a call; rejects with a refusal. */
export type KeyCheck = (metadata: Metadata, ...call: Parameters<ServerInterceptor>) => Promise<void>;

/**
 * Refuses oversized headers, malformed deadlines, keys (those of health and reflection are not checked) and what the
 * guard of streams refuses, before any message is read, and ends unary calls whose request does not arrive in time:
 * handlers, and with them deadlines, start only once it is complete. Streams have their own idle limit.
 */
export function admitCalls(
  checkKey: KeyCheck,
  settings: { readonly maxDeadlineMs: number; readonly isTrustedProxy: IsTrustedProxy; readonly log: Logger },
): ServerInterceptor {
  const { maxDeadlineMs, isTrustedProxy, log } = settings;
  return (method, grpcCall) => {
    const { path, requestStream } = method;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    return new ServerInterceptingCall(grpcCall, {
      start: (next) =>
        next({
          onReceiveMetadata(metadata, pass) {
            const state = stateOf(metadata);
            const client = addressBehindProxy(peerAddress(grpcCall), metadata, isTrustedProxy);
            state.clientAddress = client;
            /** Refuses the call before its handler, or that of a stream beside it, and writes its one log line. */
            const end = (error: Refusal): void => {
              const { reason, details } = error;
              const ids = { request_id: readRequestId(metadata), key_id: state.keyId };
              const line = { ...ids, method: path, client, field: details['field'] };
              const isFault = logFault(log, error, line);
              // Answered or cancelled while its key was looked up.
              if (isOver) return;
              isOver = true;
              // A flood is counted but not logged: its lines would take the time that responses need.
              if (!isFault && reason !== 'QUEUE_FULL') log.info({ ...line, reason }, 'call refused');
              // To a stream's handler, which may have started, grpc-js says only that the call is cancelled.
              state.refused = error;
              grpcCall.sendStatus(toStatusObject(error));
            };
            const refusal = refusalOf(grpcCall);
            if (refusal) return end(refusal);
            linkToStream(grpcCall, end);
            if (!requestStream) timer = setTimeout(() => end(tooSlow(maxDeadlineMs)), maxDeadlineMs);
            const admit = async () => {
              if (!isKeyless(path)) {
                await checkKey(metadata, method, grpcCall);
                noteKey(grpcCall);
              }
              metadata.remove('apikey');
              metadata.remove('adminkey');
              pass(metadata);
            };
            admit().catch((caught: unknown) => end(asRefusal(caught)));
          },
          onReceiveHalfClose(pass) {
            clearTimeout(timer);
            pass();
          },
          onCancel() {
            clearTimeout(timer);
            isOver = true;
          },
        }),
    });
  };
}

function tooSlow(limitMs: number): Refusal {
  return refuse('DEADLINE', `the request did not arrive in time, want it within ${limitMs} ms`, { limit: limitMs });
}
