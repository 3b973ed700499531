import type { ServerHttp2Stream } from 'node:http2';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { createTurns } from '../../../runtime/limits/turns.js';
import { callerOf } from '../grpc-js-patches/caller-of.js';
import { streamOf } from '../grpc-js-patches/refuse-stream.js';
import { isKeyless } from '../service-paths.js';

/**
 * Passes on the messages of streams one per turn of the event loop, apart from them those that need no key. What
 * reflection answers or a handler refuses waits for nothing, so that otherwise all that has arrived would be answered in
 * one turn: on a bulk stream thousands of requests of seven bytes, for a second; on sixteen streams of reflection 70 KB of
 * requests, with 9 MB of files.
 */
export function answerInTurns(): ServerInterceptor {
  const [keyless, others] = [createStreamTurns(), createStreamTurns()];
  return ({ path, responseStream }, call) => {
    if (!responseStream) return new ServerInterceptingCall(call);
    const turns = isKeyless(path) ? keyless : others;
    const stream = streamOf(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMessage: (message, pass) => void turns.take(stream, () => pass(message)),
          // It would keep all that the stream does.
          onCancel: () => turns.drop(stream),
        }),
    });
  };
}

const createStreamTurns = () => createTurns(({ session }: ServerHttp2Stream) => callerOf(session));
