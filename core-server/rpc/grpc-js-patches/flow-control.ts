import type { Http2Server, ServerHttp2Session } from 'node:http2';

/** Bytes in flight to a call, and to all calls of a connection. */
export const callWindowBytes = 2 ** 20;
export const connectionWindowBytes = 16 * 2 ** 20;

/**
 * Lets clients send whole pictures at once. By HTTP/2's default, all calls of a connection share a 64 KiB
 * window, so that one picture whose key is being looked up holds up all others, and a large one takes a round
 * trip for each 64 KiB.
 *
 * grpc-js has this option for clients only.
 */
export function widenFlowControl(server: Http2Server): void {
  server.on('session', widen);
}

function widen(session: ServerHttp2Session): void {
  session.settings({ initialWindowSize: callWindowBytes });
  session.setLocalWindowSize(connectionWindowBytes);
}
