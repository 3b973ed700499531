import type { ServerHttp2Stream } from 'node:http2';
import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { createTurns } from '../../../runtime/limits/turns.js';
import { callerOf } from '../grpc-js-patches/caller-of.js';
import { streamOf } from '../grpc-js-patches/refuse-stream.js';
import { isKeyless } from '../service-paths.js';

/**
 * Passes on the messages of streams to health and reflection one per turn of the event loop; streams with a key do so
 * themselves. Reflection answers each at once, so that otherwise all that has arrived would be answered in one turn: on
 * sixteen streams, 70 KB of requests with 9 MB of files.
 */
export function answerInTurns(): ServerInterceptor {
  const turns = createTurns<ServerHttp2Stream, () => void>(
    ({ session }) => callerOf(session),
    (pass) => pass(),
  );
  return ({ path, responseStream }, call) => {
    if (!isKeyless(path) || !responseStream) return new ServerInterceptingCall(call);
    const stream = streamOf(call);
    return new ServerInterceptingCall(call, {
      start: (next) => next({ onReceiveMessage: (message, pass) => void turns.take(stream, () => pass(message)) }),
    });
  };
}
