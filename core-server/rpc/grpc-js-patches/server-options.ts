import type { Http2Server, ServerHttp2Session } from 'node:http2';
import type { TlsOptions } from 'node:tls';
import type { Server, ServerCredentials } from '@grpc/grpc-js';

// What Node.js's HTTP/2 and TLS servers can be told, and grpc-js has no option for.

/**
 * The HTTP/2 servers of a gRPC server whose port is bound, one for each address of the host.
 *
 * - Gains: everything in this folder that works on connections and streams.
 * - Costs: a private member of grpc-js's Server.
 * - Delete when grpc-js gives access to its servers, or serves on one that it is given.
 */
export function http2ServersOf(server: Server): Http2Server[] {
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
  return [...http2Servers.keys()];
}

/** Bytes in flight to a call, and to all calls of a connection. */
export const callWindowBytes = 2 ** 20;
export const connectionWindowBytes = 16 * 2 ** 20;

/** What Node.js takes of a call at most. Beyond it, nghttp2 says goodbye, and Node.js leaves the connection open and silent. */
const maxHeaderListSize = 65_535;

/**
 * Lets clients send whole pictures at once, and tells them how large headers may be. By HTTP/2's default, all calls of a
 * connection share a 64 KiB window, so that one picture whose key is being looked up holds up all others, and a large one
 * takes a round trip for each 64 KiB.
 *
 * - Gains: `make overload` showed pictures delayed by others without it; single pictures are as fast (bench/TRIED.md).
 * - Costs: nothing but {@link http2ServersOf}; all settings are Node.js's documented ones.
 * - Delete when the server knows `grpc-node.flow_control_window` (https://github.com/grpc/grpc-node/pull/3058).
 */
export function widenFlowControl(server: Http2Server): void {
  server.on('session', (session: ServerHttp2Session) => {
    session.settings({ initialWindowSize: callWindowBytes, maxHeaderListSize });
    session.setLocalWindowSize(connectionWindowBytes);
  });
}

/**
 * Ends connections whose TLS handshake takes longer.
 *
 * - Gains: a client that connects and is silent holds its place for 10 seconds instead of two minutes.
 * - Costs: `_getConstructorOptions` of grpc-js is public in its types, and not documented.
 * - Delete when `ServerCredentials.createSsl` takes options for the server.
 */
export function limitHandshake(credentials: ServerCredentials, timeoutMs: number): void {
  const options: TlsOptions | null = credentials._getConstructorOptions();
  if (options) options.handshakeTimeout = timeoutMs;
}
